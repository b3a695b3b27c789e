// The parsers of files and answers survive 10,000 damaged inputs: it answers,
// with a value or an error in words, and neither crashes nor hangs.  Meant for
// preset asan.
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

#include "agents/anchors.h"
#include "agents/cassette.h"
#include "agents/catalogue/kernel.h"
#include "agents/catalogue/technique.h"
#include "agents/chat_wire.h"
#include "agents/grounded.h"
#include "config/file.h"
#include "config/load.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/runner/protocol.h"
#include "eval/datagram.h"
#include "eval/safetensors.h"
#include "eval/trace_json.h"
#include "eval/trace_set.h"
#include "tests/mutator.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;

constexpr int kInputs = 10000;

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

TEST(FuzzTest, Task) {
  const std::string text = eval::SerialiseTask(AnyTask());
  Feed({text}, [](const std::string& input) {
    return Answered(eval::ParseTask(input));
  });
}

bool TakesDefinition(const std::string& input) {
  const auto json = eval::ParseJson(input, "definition.json");
  if (!Answered(json)) return false;
  const eval::Cursor cursor(*json, "definition.json");
  return Answered(eval::ReadDefinition(cursor, eval::Rules::kTraceSet));
}

TEST(FuzzTest, Definition) {
  const Definition definition = AnyTask().definition;
  Feed({eval::PrettyText(eval::ToJson(definition)),
        eval::LineText(eval::ToJson(definition))},
       TakesDefinition);
}

TEST(FuzzTest, WorkloadLine) {
  const Task task = AnyTask();
  std::vector<std::string> seeds;
  for (const Workload& workload : task.workloads) {
    seeds.push_back(eval::LineText(eval::ToJson(workload)));
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

TEST(FuzzTest, Solution) {
  const Task task = AnyTask();
  Feed({eval::SerialiseSolution(task.root)}, [](const std::string& input) {
    const auto json = eval::ParseJson(input, "solution.json");
    if (!Answered(json)) return false;
    const eval::Cursor cursor(*json, "solution.json");
    return Answered(eval::ReadSolution(cursor, eval::Rules::kTraceSet));
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

TEST(FuzzTest, LaunchPlan) {
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
                                          eval::cuda::Role::kKernel)
               .error.empty();
  });
}

// What a runner sends, since a candidate can: whole, cut, too long, nothing.
TEST(FuzzTest, Reply) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  const eval::UniqueFd ours(ends[0]), theirs(ends[1]);
  const eval::cuda::Reply honest{};
  Feed({std::string(reinterpret_cast<const char*>(&honest), sizeof honest)},
       [&](const std::string& input) {
         // A socket takes no more at a time.
         const std::string sent = input.substr(0, 1 << 16);
         EXPECT_EQ(send(theirs.get(), sent.data(), sent.size(), 0),
                   static_cast<ssize_t>(sent.size()));
         eval::cuda::Reply reply;
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

TEST(FuzzTest, Safetensors) {
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

TEST(FuzzTest, Settings) {
  const ScratchFile file;
  Feed({"# mine\nbudget = 300\nseed = 7\nthreads = 2  # few\npolicy = stark\n"
        "exploration = 0.5\nmodel_retries = 3\n",
        "db = runs.db\nplan_model = openai:gpt\n"},
       [&](const std::string& input) {
         const config::Surroundings here{{}, 2, "/nowhere"};
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

TEST(FuzzTest, PlanAnswer) {
  Feed({kAnswer}, [](const std::string& input) {
    return Answered(agents::ParsePlanAnswer(input, kParent));
  });
}

TEST(FuzzTest, CodeAnswer) {
  Feed({kAnswer, "~~~\nvoid run() {}\n~~~\n"}, [](const std::string& input) {
    const auto source = agents::ParseCodeAnswer(input);
    if (source) agents::MeasureEdits(kAnswer, *source);
    return Answered(source);
  });
}

TEST(FuzzTest, Anchors) {
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

TEST(FuzzTest, ChatReply) {
  Feed({kReply, kFault}, [](const std::string& input) {
    if (const auto fault = agents::ReadChatFault(input)) {
      agents::RejectedParameter(*fault);
      agents::IsOutOfMoney(*fault);
    }
    return Answered(agents::ReadChatReply(input, {}));
  });
}

TEST(FuzzTest, Cassette) {
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

TEST(FuzzTest, TechniqueLabel) {
  Feed({"jam(j, 32, overlap)", "parallel(i)", "restrict()", "scan"},
       [](const std::string& input) {
         const auto technique = agents::catalogue::ParseTechnique(input);
         if (technique) agents::catalogue::Print(*technique);
         return technique.has_value();
       });
}

// What is no kernel is refused; within one, what it does not know stays text.
TEST(FuzzTest, KernelSource) {
  Feed({AnyTask().root.sources.front().content}, [](const std::string& input) {
    return agents::catalogue::ParseKernel(input).has_value();
  });
}

}  // namespace
}  // namespace coppice
