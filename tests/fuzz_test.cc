// Every parser of files and answers survives damaged inputs, 10,000 of them in
// preset asan: it answers, with a value or an error in words, and neither
// crashes nor hangs.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "agents/catalogue/kernel.h"
#include "agents/catalogue/technique.h"
#include "agents/prompt/anchors.h"
#include "agents/prompt/grounded_instructions.h"
#include "agents/prompt/structured.h"
#include "agents/provider/cassette.h"
#include "agents/provider/child.h"
#include "agents/provider/command_transport.h"
#include "agents/provider/dialect.h"
#include "agents/provider/model_table.h"
#include "agents/provider/retry_headers.h"
#include "config/file.h"
#include "config/load.h"
#include "engine/mcp/session.h"
#include "engine/mcp/test_operations.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/runner/protocol.h"
#include "eval/formats/kernel_list.h"
#include "eval/formats/kernelbench_files.h"
#include "eval/formats/safetensors.h"
#include "eval/formats/trace_json.h"
#include "eval/formats/trace_set.h"
#include "eval/host/datagram.h"
#include "store/records/evaluation.h"
#include "tests/mutator.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;

// Those of preset asan begin with these: without it little would show.
#ifdef __SANITIZE_ADDRESS__
constexpr int kInputs = 10000;
#else
constexpr int kInputs = 1000;
#endif

// `parse` returns whether it took the input.  Some must be taken and some not,
// or the damage would be no test.
void Feed(std::vector<std::string> seeds,
          const std::function<bool(const std::string&)>& parse) {
  Mutator mutator(std::move(seeds));
  int taken = 0;
  for (int i = 0; i < kInputs; ++i) taken += parse(mutator.Next()) ? 1 : 0;
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, kInputs);
}

// An error says something.
template <typename T>
bool Answered(const Result<T>& result) {
  EXPECT_TRUE(result || !result.error().what.empty());
  return result.has_value();
}

// A file of this test's own, removed with it.
class ScratchFile {
 public:
  ScratchFile()
      : path_(fs::path(testing::TempDir()) /
              (std::string("coppice_fuzz_") + std::to_string(getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
  }
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& Holding(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const fs::path kTasks = COPPICE_TASKS_DIR;

Task AnyTask() {
  auto task = eval::LoadTask(kTasks, "gemm_square");
  EXPECT_TRUE(task) << task.error().what;
  return task.value_or(Task{});
}

TEST(FuzzTest, ADamagedTaskIsReadOrRefused) {
  const std::string text = eval::SerialiseTask(AnyTask());
  Feed({text}, [](const std::string& input) {
    return Answered(eval::ParseTask(input));
  });
}

bool TakesDefinition(const std::string& input) {
  const auto json = eval::ParseJson(input, "definition.json");
  if (!Answered(json)) return false;
  const eval::Cursor cursor(*json, "definition.json");
  if (!Answered(eval::ReadDefinition(cursor, eval::Rules::kTraceSet))) {
    return false;
  }
  return !eval::DocumentText(eval::CanonicalDefinition(*json), 2).empty();
}

TEST(FuzzTest, ADamagedDefinitionIsReadOrRefused) {
  const Definition definition = AnyTask().definition;
  Feed({eval::PrettyText(eval::ToJson(definition)),
        eval::DocumentText(eval::ToJson(definition))},
       TakesDefinition);
}

TEST(FuzzTest, ADamagedWorkloadLineIsReadOrRefused) {
  const Task task = AnyTask();
  std::vector<std::string> seeds;
  for (const Workload& workload : task.workloads) {
    seeds.push_back(eval::DocumentText(eval::ToJson(workload)));
  }
  Feed(seeds, [&](const std::string& input) {
    const auto json = eval::ParseJson(input, "workload.jsonl");
    if (!Answered(json)) return false;
    const eval::Cursor cursor(*json, "workload.jsonl");
    const auto workload = eval::ReadWorkload(cursor, task.definition);
    return Answered(workload) &&
           Answered(eval::Resolve(task.definition, *workload));
  });
}

TEST(FuzzTest, ADamagedSolutionIsReadOrRefused) {
  const Task task = AnyTask();
  Feed({eval::SerialiseSolution(task.root)}, [](const std::string& input) {
    const auto json = eval::ParseJson(input, "solution.json");
    if (!Answered(json)) return false;
    const eval::Cursor cursor(*json, "solution.json");
    const auto solution = eval::ReadSolution(cursor, eval::Rules::kTraceSet);
    return Answered(solution) &&
           !eval::DocumentText(eval::CanonicalSolution(*json), 2).empty();
  });
}

// What is read of a damaged line is written so that it is read the same.
TEST(FuzzTest, ADamagedTraceLineIsReadOrRefused) {
  const Task task = AnyTask();
  std::vector<std::string> seeds;
  for (const Verdict verdict : {Verdict::kPassed, Verdict::kRejected}) {
    Evaluation evaluation;
    evaluation.verdict = verdict;
    WorkloadResult result;
    result.workload = task.workloads[0].uuid;
    result.verdict = verdict;
    result.samples_s = {0.5, 0.25};
    result.root_samples_s = {1.0, 1.0};
    result.readings = {{0, 2, 0.5, {}, {}}, {1, 1, {}, 0.25, 1980.0}};
    evaluation.workloads = {result};
    const auto traces = eval::TracesOf(task, "s", evaluation, "t");
    ASSERT_TRUE(traces);
    seeds.push_back(eval::DocumentText(eval::ToJson(traces->front())));
  }
  const auto read = [](const std::string& text) -> Result<eval::Trace> {
    TRY(json, eval::ParseJson(text, "traces.jsonl"));
    return eval::ReadTrace(eval::Cursor(json, "traces.jsonl"));
  };
  Feed(seeds, [&](const std::string& input) {
    const auto trace = read(input);
    if (!Answered(trace)) return false;
    const std::string written = eval::DocumentText(eval::ToJson(*trace));
    const auto again = read(written);
    EXPECT_TRUE(again) << again.error().what;
    EXPECT_EQ(eval::DocumentText(eval::ToJson(*again)), written);
    return !trace->evaluation || Answered(eval::EvaluationOf({*trace}));
  });
}

TEST(FuzzTest, ADamagedKernelListIsReadOrRefused) {
  Feed({R"([{"code": "a", "speedup": 2.5, "correct": true, "task_id": 7}])",
        "{\"code\": \"a\", \"runtime\": -1}\n{\"code\": null}\n"},
       [](const std::string& input) {
         return Answered(eval::ParseKernelList(input, "list.json", {}));
       });
}

constexpr const char* kTimes =
    R"({"mean": 2.5, "std": 0.5, "min": 2, "max": 3, "num_trials": 100,)"
    R"( "hardware": "H", "device": "cuda:0"})";

TEST(FuzzTest, DamagedKernelBenchResultsAreReadOrRefused) {
  Feed({std::string(R"({"19": [{"sample_id": 0, "compiled": true,)") +
            R"( "correctness": true, "metadata": {}, "runtime": 2.5,)" +
            R"( "runtime_stats": )" + kTimes + "}, null]}",
        R"({"2": {"compiled": false, "correctness": false, "runtime": -1}})"},
       [](const std::string& input) {
         return Answered(eval::ParseEvalResults(input, "eval_results.json"));
       });
}

TEST(FuzzTest, DamagedKernelBenchBaselinesAreReadOrRefused) {
  Feed({std::string(R"({"level1": {"19_ReLU.py": )") + kTimes +
        R"(, "2_Two.py": null}, "level2": {}})"},
       [](const std::string& input) {
         return Answered(eval::ParseBaselineTimes(input, "baseline.json"));
       });
}

std::string Safetensors(const std::string& header) {
  const std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  return file + header + std::string(24, '\1');
}

const char kLaunches[] =
    "//@ scratch float partial[ceil_div(N, 1024) * 4]\n"
    "//@ launch rows<<<(ceil_div(N, 1024), max(N, 2)), 256, 4096>>>"
    "(a, partial, N)\n"
    "//@ launch finish<<<(N % 7 + 1), (32, 2, 1), 0, (2, 1)>>>"
    "(partial, b, int32(N - 1))\n"
    "__global__ void rows() {}\n";

TEST(FuzzTest, ADamagedLaunchPlanIsReadOrRefused) {
  const Task task = AnyTask();
  std::string plan = kLaunches;
  const auto rename = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = plan.find(from, at)) != plan.npos;) {
      plan.replace(at, from.size(), to);
      at += to.size();
    }
  };
  rename("(a,", "(" + task.definition.inputs.front().name + ",");
  rename(" b,", " " + task.definition.outputs.front().name + ",");
  const Workload& workload = task.workloads.front();
  Feed({plan}, [&](const std::string& input) {
    return eval::cuda::HasLaunchPlan(input) &&
           eval::cuda::EvaluateLaunchPlan(input, task.definition, workload,
                                          eval::cuda::PlanSide::kKernel)
               .error.empty();
  });
}

// What a runner sends, since a candidate can: whole, cut, too long, nothing.
TEST(FuzzTest, ADamagedReplyIsReadOrRefused) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  const eval::UniqueFd ours(ends[0]), theirs(ends[1]);
  const eval::cuda::RunnerReply honest{};
  Feed({std::string(reinterpret_cast<const char*>(&honest), sizeof honest)},
       [&](const std::string& input) {
         // A socket takes no more at a time.
         const std::string sent = input.substr(0, 1 << 16);
         EXPECT_EQ(send(theirs.get(), sent.data(), sent.size(), 0),
                   static_cast<ssize_t>(sent.size()));
         eval::cuda::RunnerReply reply;
         const auto bytes = std::as_writable_bytes(std::span(&reply, 1));
         const eval::Datagram datagram =
             eval::ReceiveDatagram(ours.get(), bytes);
         const bool taken = datagram.heard == eval::Heard::kMessage;
         EXPECT_EQ(taken, sent.size() == sizeof reply);
         if (taken) {
           EXPECT_EQ(std::memcmp(&reply, sent.data(), sizeof reply), 0);
         }
         return taken;
       });
}

TEST(FuzzTest, DamagedSafetensorsAreReadOrRefused) {
  const ScratchFile file;
  const eval::TensorShape shape{"x", DType::kFloat32, false, {2, 2}, 4};
  const std::string header =
      R"({"__metadata__": {"k": "v"},
          "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
          "b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [8, 24]}})";
  Feed({Safetensors(header)}, [&](const std::string& input) {
    std::vector<std::byte> bytes(16);
    return Answered(eval::ReadSafetensor({file.Holding(input).string(), "b"},
                                         shape, bytes));
  });
}

TEST(FuzzTest, DamagedSettingsAreReadOrRefused) {
  const ScratchFile file;
  Feed({"# mine\nbudget = 300\nseed = 7\nthreads = 2  # few\npolicy = stark\n"
        "exploration = 0.5\nmodel_retries = 3\n",
        "db = runs.db\nplan_model = openai:gpt\n"},
       [&](const std::string& input) {
         const config::Surroundings here{{}, 2, 0, "/nowhere", true};
         file.Holding(input);
         Answered(config::Load(here, file.path(), {}));
         return Answered(config::ReadFile(file.path()));
       });
}

const char kAnswer[] =
    "Technique: inline a\n\nCall a() once.\n\n```cpp\nvoid run() {\n"
    "  // <<<IMPROVE BEGIN>>> twice\n  a();\n  /* <<<IMPROVE END>>> */\n"
    "  b();\n}\n```\n";
const char kParent[] = "void run() {\n  a();\n  b();\n}\n";

TEST(FuzzTest, ADamagedPlanAnswerIsReadOrRefused) {
  Feed({kAnswer}, [](const std::string& input) {
    return Answered(agents::ParsePlanAnswer(input, kParent));
  });
}

TEST(FuzzTest, ADamagedCodeAnswerIsReadOrRefused) {
  Feed({kAnswer, "~~~\nvoid run() {}\n~~~\n"}, [](const std::string& input) {
    const auto source = agents::ParseCodeAnswer(input);
    if (source) agents::MeasureEdits(kAnswer, *source);
    return Answered(source);
  });
}

TEST(FuzzTest, DamagedAnchorsAreReadOrRefused) {
  Feed({kAnswer, "x = /* <<<IMPROVE BEGINS>>> */ a + b /*<<<IMPROVE ENDS>>>*/"},
       [](const std::string& input) {
         agents::WithoutAnchors(input);
         return Answered(agents::ParseAnchors(input));
       });
}

const char kReply[] =
    R"({"choices": [{"finish_reason": "stop", "message": {"role": "assistant",
        "content": "Hi.", "refusal": null}}], "usage": {"prompt_tokens": 1000,
        "completion_tokens": 100, "prompt_tokens_details":
        {"cached_tokens": 400}, "cost": 0.25}})";
const char kFault[] =
    R"({"error": {"message": "no top_p", "type": "invalid", "param": "top_p",
        "code": "unsupported_parameter"}})";

const char kChatStream[] =
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n: ping\n\n"
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],"
    "\"usage\":{\"prompt_tokens\":9}}\r\n\r\ndata: [DONE]\n\n";
const char kResponsesStream[] =
    "event: x\ndata: {\"type\":\"response.output_text.delta\","
    "\"delta\":\"Hi\"}\n\n"
    "data: {\"type\":\"response.completed\",\"response\":{\"status\":"
    "\"completed\",\"usage\":{\"input_tokens\":9}}}\n\n";
const char kMessagesStream[] =
    "data: {\"type\":\"message_start\",\"message\":{\"usage\":"
    "{\"input_tokens\":9,\"cache_read_input_tokens\":3}}}\n\n"
    "data: {\"type\":\"content_block_delta\",\"delta\":"
    "{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n"
    "data: {\"type\":\"message_delta\",\"delta\":"
    "{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n";

// What every reply keeps, damaged or not.
bool Sound(const agents::Reply& reply) {
  const Usage& usage = reply.usage;
  EXPECT_GE(usage.cached_input_tokens, 0);
  EXPECT_GE(usage.cache_write_tokens, 0);
  EXPECT_GE(usage.input_tokens,
            usage.cached_input_tokens + usage.cache_write_tokens);
  EXPECT_GE(usage.output_tokens, usage.reasoning_tokens);
  return agents::Shortcoming(reply).empty();
}

void FeedDialect(const agents::Dialect& dialect, const std::string& stream,
                 const std::vector<std::string>& wholes) {
  Feed({stream}, [&](const std::string& input) {
    agents::Reply reply;
    agents::SseParser parser;
    // Feeds the input in cuts that differ with it.
    const std::size_t step = 1 + input.size() % 7;
    for (std::size_t at = 0; at < input.size(); at += step) {
      EXPECT_TRUE(parser.Feed(std::string_view(input).substr(at, step),
                              [&](const agents::SseEvent& event) {
                                dialect.ReadEvent(event, reply);
                              }));
    }
    return Sound(reply);
  });
  Feed(wholes, [&](const std::string& input) {
    if (const auto fault = agents::ReadFault(input)) {
      agents::RejectedParameter(*fault);
      agents::IsOutOfMoney(*fault);
      EXPECT_GE(agents::StatusOf(*fault), 400);
    }
    agents::Reply reply;
    const bool taken = dialect.ReadWhole(input, reply);
    Sound(reply);
    return taken;
  });
}

TEST(FuzzTest, ADamagedChatReplyIsReadOrRefused) {
  FeedDialect(agents::ChatDialect(), kChatStream, {kReply, kFault});
}

TEST(FuzzTest, ADamagedResponsesReplyIsReadOrRefused) {
  FeedDialect(agents::ResponsesDialect(), kResponsesStream,
              {R"({"status": "completed", "output": [{"type": "message",
                   "content": [{"type": "output_text", "text": "Hi"}]}],
                   "usage": {"input_tokens": 9, "output_tokens": 2}})"});
}

TEST(FuzzTest, ADamagedMessagesReplyIsReadOrRefused) {
  FeedDialect(agents::MessagesDialect(), kMessagesStream,
              {R"({"stop_reason": "end_turn", "content": [{"type": "text",
                   "text": "Hi"}], "usage": {"input_tokens": 9,
                   "output_tokens": 2}})"});
}

TEST(FuzzTest, ADamagedExecOutputIsReadOrRefused) {
  Feed({R"({"type":"result","is_error":false,"result":"Hi","total_cost_usd":1,
            "modelUsage":{"m":{"inputTokens":3,"outputTokens":1}}})"},
       [](const std::string& input) {
         return !agents::ReadCommandOutput(agents::ExecAnswer::kClaude, input)
                     .refusal;
       });
  Feed(
      {R"({"type":"item.completed","item":{"type":"agent_message","text":"H"}})"
       "\n"
       R"({"type":"turn.completed","usage":{"input_tokens":3}})"
       "\n"},
      [](const std::string& input) {
        return !agents::ReadCommandOutput(agents::ExecAnswer::kCodex, input)
                    .refusal;
      });
}

TEST(FuzzTest, ADamagedStructuredAnswerIsReadOrRefused) {
  Feed({R"({"technique": "t", "advice": "a", "source": "int x;\n```\n"})"},
       [](const std::string& input) {
         // A plan may be words alone, but what is to be code is code.
         const auto code = agents::ProseOfStructured(Role::kCode, input);
         EXPECT_TRUE(!code || agents::ParseCodeAnswer(*code)) << input;
         return Answered(agents::ProseOfStructured(Role::kPlan, input));
       });
}

TEST(FuzzTest, ADamagedModelTableIsReadOrRefused) {
  Feed({R"({"version": "1", "providers": [{"name": "p", "api": "chat",
            "base_url": "http://h", "concurrent": 3}],
            "models": [{"match": "m*", "refuses": ["top_p"]}],
            "prices": [{"model": "m", "input": 1.5, "output": 2, "long":
            {"input_tokens": 9, "input": 3, "output": 4}}]})"},
       [](const std::string& input) {
         agents::ModelTable table;
         const auto added = table.Add(input, "models.json");
         table.Model(input);
         table.PricesOf(input);
         return Answered(added);
       });
}

TEST(FuzzTest, DamagedRetryHeadersAreReadOrIgnored) {
  Feed({"Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.25Z"},
       [](const std::string& input) {
         const auto time = agents::ParseTime(input);
         EXPECT_GE(time.value_or(0), 0);
         return time.has_value();
       });
  Feed({"1h2m3.5s", "12ms"}, [](const std::string& input) {
    const auto duration = agents::ParseDuration(input);
    EXPECT_GE(duration.value_or(0), 0);
    return duration.has_value();
  });
}

TEST(FuzzTest, ADamagedCommandLineIsReadOrRefused) {
  Feed({R"(claude -p 'a b' "c \" d" e\ f)"}, [](const std::string& input) {
    return Answered(agents::SplitCommand(input));
  });
}

TEST(FuzzTest, ADamagedCassetteIsReadOrRefused) {
  const ScratchFile file;
  const std::string line =
      R"({"key": "0123456789abcdef", "request": {"role": "code", "system": "s",
"user": "u", "temperature": 0.5, "top_p": 1.0, "max_output_tokens": 9,
"sample_index": 0}, "provider": "p", "model": "m", "answer": "a", "usage":
{"input_tokens": 1, "cached_input_tokens": 0, "output_tokens": 2},
"cost_usd": 0.5})";
  std::string single = line;
  std::replace(single.begin(), single.end(), '\n', ' ');
  Feed({single + "\n", single + "\n" + single + "\n"},
       [&](const std::string& input) {
         return Answered(agents::ReadCassette(file.Holding(input)));
       });
}

TEST(FuzzTest, ADamagedTechniqueLabelIsReadOrRefused) {
  Feed({"jam(j, 32, overlap)", "parallel(i)", "restrict()", "scan"},
       [](const std::string& input) {
         const auto technique = agents::catalogue::ParseTechnique(input);
         if (technique) agents::catalogue::Print(*technique);
         return technique.has_value();
       });
}

// What is no kernel is refused; within one, what it does not know stays text.
TEST(FuzzTest, ADamagedKernelSourceIsReadOrRefused) {
  Feed({AnyTask().root.sources.front().content}, [](const std::string& input) {
    return agents::catalogue::ParseKernel(input).has_value();
  });
}

// Whatever comes is answered by one line of JSON, or is a notification.
TEST(FuzzTest, DamagedMessagesOfAgentsAreAnsweredOrNotified) {
  mcp::SetClock clock;
  mcp::TestOperations operations;
  mcp::Session session(operations.terms, clock, "fuzz");
  const auto call =
      R"("name":"echo","arguments":{"word":"a\u001b[1m\n\u00e4"})";
  Feed({mcp::LegacyMessage("initialize", R"("protocolVersion":"2025-11-25")"),
        mcp::LegacyMessage("tools/call", call, R"("a")"),
        mcp::ModernMessage("tools/call", call),
        mcp::ModernMessage("resources/read", R"("uri":"coppice://task/a/b")"),
        mcp::ModernMessage("prompts/get",
                           R"("name":"debug","arguments":{"node":"1"})"),
        R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
        R"("params":{"requestId":1}})"},
       [&](const std::string& input) {
         mcp::MessageOutcome outcome = session.Take(std::string_view(input));
         // A damaged name may be that of the operation that waits.
         operations.LetGo();
         if (outcome.work) outcome.line = outcome.work([](const auto&) {});
         if (outcome.line.empty()) return true;
         EXPECT_EQ(outcome.line.find('\n'), std::string::npos);
         const auto line = nlohmann::json::parse(outcome.line);
         EXPECT_NE(line.contains("result"), line.contains("error"));
         return line.contains("result");
       });
}

}  // namespace
}  // namespace coppice
