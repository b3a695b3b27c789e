// Campaigns on tasks in PyTorch, of either format, through the whole program:
// asked of a command first, then of what was recorded of its answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "store/database.h"
#include "tests/campaign_process.h"
#include "tests/whole.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr int kAttempts = 5;

// The sums of rows.  "BODY" is what a candidate makes of x.
struct Case {
  std::string name;
  std::string prefix;  // Of the task's name.
  std::string file;    // Of the task.
  std::string task;    // Its text.
  std::string beside;  // The name of another file, if it has one,
  std::string other;   // and its text.
  std::string candidate;
};

// Else its bytes would be part of the test's name.
void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

const Case kCases[] = {
    {"KernelBench", "kernelbench:", "level1/3_Sums.py",
     "import torch\n"
     "class Model(torch.nn.Module):\n"
     "    def forward(self, x):\n"
     "        return torch.stack([row @ torch.ones(64) for row in x])\n"
     "def get_inputs():\n"
     "    return [torch.randn(2000, 64)]\n"
     "def get_init_inputs():\n"
     "    return []\n",
     "", "",
     "import os, torch\n"
     "class ModelNew(torch.nn.Module):\n"
     "    def forward(self, x):\n"
     "        BODY\n"},
    {"FlashInferBench", "fib:", "definitions/rowwise/sums.json",
     R"({"name": "sums", "op_type": "rowwise",
         "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 64}},
         "inputs": {"x": {"shape": ["M", "N"], "dtype": "float32"}},
         "outputs": {"y": {"shape": ["M"], "dtype": "float32"}},
         "reference": "import torch\ndef run(x):\n    )"
     R"(return torch.stack([row @ torch.ones(64) for row in x])\n"})",
     "workloads/rowwise/sums.jsonl",
     R"({"definition": "sums", "workload": {"axes": {"M": 2000}, "inputs": )"
     R"({"x": {"type": "random"}}, "uuid": "w1"}, "solution": null, )"
     R"("evaluation": null})",
     "import os, torch\n"
     "def run(x):\n"
     "    BODY\n"},
    {"SolExecBench", "fib:", "L1/sums/definition.json",
     R"({"name": "sums", "custom_inputs_entrypoint": "make",
         "axes": {"H": {"type": "var"}, "N": {"type": "const", "value": 64},
                  "M": {"type": "expr", "expression": "H * 2"}},
         "inputs": {"x": {"shape": ["M", "N"], "dtype": "float32"}},
         "outputs": {"y": {"shape": ["M"], "dtype": "float32"}},
         "reference": "import torch\ndef make(sizes, device):\n    return )"
     R"({'x': torch.randn(sizes['M'], sizes['N'], device=device)}\n)"
     R"(def run(x):\n    )"
     R"(return torch.stack([row @ torch.ones(64) for row in x])\n"})",
     "L1/sums/workload.jsonl",
     R"({"axes": {"H": 1000}, "inputs": {"x": {"type": "custom"}}, )"
     R"("uuid": "w1", "tolerance": {"max_atol": 0.001}})",
     "import os, torch\n"
     "def run(x):\n"
     "    BODY\n"},
    {"GpuMode", "gpumode:", "set/sums/task.yml",
     "files: [{name: reference.py, source: reference.py}]\n"
     "lang: py\n"
     "description: Sum the rows of a matrix.\n"
     "tests: [{rows: 3, seed: 1}]\n"
     "benchmarks: [{rows: 2000, seed: 1}]\n",
     "set/sums/reference.py",
     "import torch\n"
     "def generate_input(rows, seed):\n"
     "    torch.manual_seed(seed)\n"
     "    return torch.randn(rows, 64)\n"
     "def ref_kernel(x):\n"
     "    return torch.stack([row @ torch.ones(64) for row in x])\n"
     "def check_implementation(data, output):\n"
     "    expected = ref_kernel(data)\n"
     "    return torch.allclose(output, expected, 1e-4, 1e-4), ''\n",
     "import os, torch\n"
     "def custom_kernel(x):\n"
     "    BODY\n"}};

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PythonTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("COPPICE_PYTHON") != nullptr) return;
    const fs::path beside = COPPICE_SOURCE_DIR "/build/python/bin/python3";
    if (!fs::exists(beside)) GTEST_SKIP() << beside << ": not there";
    setenv("COPPICE_PYTHON", beside.c_str(), 1);
  }

  std::string Put(const std::string& name, const std::string& text) const {
    const fs::path path = processes_.directory() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
    return path.string();
  }

  CampaignProcesses processes_;
};

class PythonCampaignTest : public PythonTest,
                           public testing::WithParamInterface<Case> {
 protected:
  static std::string CandidateOf(const std::string& body) {
    std::string text = GetParam().candidate;
    return text.replace(text.find("BODY"), 4, body);
  }

  std::string Task() const {
    const fs::path file = processes_.directory() / GetParam().file;
    const bool is_folder =
        GetParam().prefix == "gpumode:" || GetParam().name == "SolExecBench";
    return GetParam().prefix + (is_folder ? file.parent_path() : file).string();
  }

  // The answers in their order, whatever is asked.  After the one without a
  // candidate it is asked for another.
  std::string Agent() const {
    const std::string bodies[kAttempts + 1] = {
        "return 2 * x.sum(dim=1)",
        "os.abort()",
        "return torch.matmul(x, torch.ones(64))",
        "return x.sum(dim=1",
        "",
        "return x.sum(dim=1)",
    };
    const std::string folder = processes_.directory().string();
    for (int i = 0; i <= kAttempts; ++i) {
      Put("answer" + std::to_string(i + 1),
          bodies[i].empty() ? "I cannot."
                            : "```python\n" + CandidateOf(bodies[i]) + "```");
    }
    return "exec:sh " + Put("agent.sh", "cat >/dev/null; cd " + folder +
                                            "; echo >>asked; "
                                            "cat answer$(wc -l <asked)");
  }

  void Run(const std::string& database, const std::string& model,
           Arguments more = {}) const {
    Arguments arguments = {
        "run",          Task(),
        "--db",         processes_.Database(database).string(),
        "--preset",     "reflexion",
        "--delegation", "no_vendor_op",
        "--devices",    "cpu",
        "--threads",    "1",
        "--budget",     std::to_string(kAttempts),
        "--progress",   "none",
        "--code-model", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const int status = CampaignProcesses::Wait(processes_.Start(arguments));
    // 3: what is right was measured on a machine too busy to tell.
    EXPECT_TRUE(WIFEXITED(status) &&
                (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3))
        << processes_.Output();
  }

  std::string Verb(const std::string& database, Arguments arguments) const {
    arguments.insert(arguments.end(),
                     {"--db", processes_.Database(database).string()});
    return processes_.Succeed(arguments);
  }

  std::vector<std::string> Verdicts(const std::string& database) const {
    std::vector<std::string> verdicts;
    const std::string rows = Verb(
        database, {"sql", "SELECT verdict FROM nodes ORDER BY node", "--json"});
    for (const auto& row : nlohmann::json::parse(rows)) {
      verdicts.push_back(row["verdict"]);
    }
    return verdicts;
  }
};

TEST_P(PythonCampaignTest, IsRunAndThenReplayed) {
  // FlashInferBench is left out: it is read as SolExecBench is.
  if (!IsTried(GetParam().name, 2)) GTEST_SKIP() << "skipped: see whole.h";
  Put(GetParam().file, GetParam().task);
  if (!GetParam().beside.empty()) Put(GetParam().beside, GetParam().other);
  const std::string cassette = (processes_.directory() / "cassette").string();
  Run("first", Agent(), {"--record", cassette});

  const std::vector<std::string> verdicts = Verdicts("first");
  const auto is_right = testing::AnyOf("passed", "inconclusive");
  ASSERT_THAT(verdicts, ElementsAre("passed", "wrong_output", "crashed",
                                    "rejected", "compile_failed", is_right));
  const std::string best = verdicts.back() == "passed" ? "5" : "0";
  EXPECT_THAT(Verb("first", {"best"}), HasSubstr("node " + best + " of"));
  const std::string without_floor = Verb(
      "first",
      {"sql", "SELECT node FROM trials WHERE correct AND efficiency IS NULL",
       "--json"});
  EXPECT_TRUE(nlohmann::json::parse(without_floor).empty()) << without_floor;
  EXPECT_THAT(Verb("first", {"tree"}), HasSubstr("rejected"));
  EXPECT_THAT(Verb("first", {"show", "2"}), HasSubstr("SIGABRT"));
  EXPECT_THAT(Verb("first", {"show", "3"}), HasSubstr("matmul"));
  EXPECT_THAT(Verb("first", {"export", "best"}),
              HasSubstr(best == "5" ? "return x.sum(dim=1)" : "row @"));
  EXPECT_THAT(Verb("first", {"db", "doctor"}), HasSubstr("sound"));
  Verb("first", {"replay", "--check"});

  fs::remove(processes_.directory() / "agent.sh");
  Run("second", "replay:" + cassette);
  EXPECT_THAT(Verdicts("second"),
              ElementsAre("passed", "wrong_output", "crashed", "rejected",
                          "compile_failed", is_right));
}

// A norm's weight is all ones as its problem draws it, and a kernel without it
// is wrong.  y has twice as many columns as x, so its room is by an expression.
TEST_F(PythonTest, SolutionsOfSolExecBenchAreJudged) {
  Put("scaled/definition.json",
      R"({"name": "scaled",
          "axes": {"M": {"type": "var"}, "N": {"type": "var"},
                   "W": {"type": "expr", "expression": "N * 2"}},
          "inputs": {"x": {"shape": ["M", "N"], "dtype": "float32"},
                     "norm_weight": {"shape": ["N"], "dtype": "float32"}},
          "outputs": {"y": {"shape": ["M", "W"], "dtype": "float32"}},
          "reference": "import torch\ndef run(x, norm_weight):\n    )"
      R"(y = x * norm_weight\n    return torch.cat([y, y], 1)\n"})");
  Put("scaled/workload.jsonl",
      R"({"axes": {"M": 100, "N": 32}, "uuid": "w1", "inputs": {"x": )"
      R"({"type": "random"}, "norm_weight": {"type": "random"}}})");
  const auto judge = [this](const std::string& name, const std::string& spec,
                            const std::string& body) {
    const std::string file = Put(
        "scaled/" + name + ".json",
        R"({"name": ")" + name +
            R"(", "definition": "scaled", "author": "a", "spec": {)" + spec +
            R"(, "target_hardware": ["LOCAL"]}, "sources": )" + body + "}");
    const std::string task =
        "fib:" + (processes_.directory() / "scaled").string();
    const int status = CampaignProcesses::Wait(processes_.Start(
        {"eval", task, file, "--devices", "cpu", "--threads", "1"}));
    return std::pair(WEXITSTATUS(status), processes_.Output());
  };
  const std::string python =
      R"("languages": ["pytorch"], "entry_point": "k.py::run")";
  const auto right =
      judge("right", python,
            R"([{"path": "k.py", "content": "def run(x, weight, y):\n    )"
            R"(y[:, :x.shape[1]] = x * weight\n    )"
            R"(y[:, x.shape[1]:] = x * weight\n"}])");
  EXPECT_EQ(right.first, 0) << right.second;
  EXPECT_THAT(right.second, HasSubstr("passed (fast tier"));
  const auto careless =
      judge("careless", python,
            R"([{"path": "k.py", "content": "def run(x, weight, y):\n    )"
            R"(y[:, :x.shape[1]] = x\n    y[:, x.shape[1]:] = x\n"}])");
  EXPECT_EQ(careless.first, 3) << careless.second;
  EXPECT_THAT(careless.second, HasSubstr("wrong_output"));
}

// Tasks in a folder as KernelBench has them.
class CheckoutTest : public PythonTest {
 protected:
  std::string Problem(const std::string& name, const std::string& inputs) {
    return Put("checkout/KernelBench/level1/" + name,
               "import torch\n"
               "class Model(torch.nn.Module):\n"
               "    def forward(self, x):\n"
               "        return 2 * x\n" +
                   inputs +
                   "def get_init_inputs():\n"
                   "    return []\n");
  }
  std::string Good(const std::string& name) {
    return Problem(name,
                   "def get_inputs():\n"
                   "    return [torch.rand(8)]\n");
  }
  // A task whose right output is zeros.
  std::string Vanishing(const std::string& name) {
    return Put(
        "checkout/KernelBench/level1/" + name,
        TextOf(COPPICE_SOURCE_DIR "/tests/kernelbench/level2/1_Vanishing.py"));
  }
  // An agent that answers with a candidate of this body, whatever it is asked.
  std::string Agent(const std::string& body) {
    return "exec:cat " + Put("answer",
                             "```python\nimport torch\n"
                             "class ModelNew(torch.nn.Module):\n"
                             "    def forward(self, x):\n"
                             "        " +
                                 body + "\n```");
  }
  int Exit(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--db", File(), "--progress", "none",
                                       "--devices", "cpu"});
    const int status = CampaignProcesses::Wait(processes_.Start(arguments));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string File() const { return processes_.Database("x").string(); }
};

// Both are right, and one is of the precision's type.
TEST_F(CheckoutTest, KernelsAreImportedInAPrecision) {
  const auto kernel = [](const std::string& body) {
    return nlohmann::json{{"code",
                           "import torch\nclass ModelNew(torch.nn.Module):\n"
                           "    def forward(self, x):\n        return " +
                               body + "\n"}};
  };
  const std::string list =
      Put("list.json",
          nlohmann::json{kernel("x + x"), kernel("2 * x.double()")}.dump());
  const Arguments import = {"import", "kernels", list, "--task",
                            "kernelbench:" + Good("2_Good.py")};
  Arguments in_half = import;
  in_half.insert(in_half.end(), {"--precision", "float16"});
  EXPECT_EQ(Exit(in_half), 0) << processes_.Output();
  EXPECT_THAT(processes_.Output(), HasSubstr("level1_2_Good.import: 2 new"));
  EXPECT_THAT(
      processes_.Succeed({"show", "2", "--db", File()}),
      HasSubstr("y has another type of elements: float64, not float16"));

  EXPECT_EQ(Exit(import), 2);
  EXPECT_EQ(
      processes_.Output(),
      "coppice import kernels: level1_2_Good.import: was begun with another "
      "--precision; choose another --name, or go on as it was begun "
      "with: coppice resume level1_2_Good.import\n");
}

TEST_F(CheckoutTest, TimesAreCalledWhatTheyAreByTheProtocol) {
  const std::string kernel =
      Put("kernel.py",
          "import torch\nclass ModelNew(torch.nn.Module):\n"
          "    def forward(self, x):\n        return x + x");
  const Arguments words = {"eval",        "kernelbench:" + Good("2_Good.py"),
                           kernel,        "--devices",
                           "cpu",         "--protocol",
                           "kernelbench", "--precision",
                           "bfloat16"};
  const std::string said = processes_.Succeed(words);
  EXPECT_THAT(said, testing::ContainsRegex(
                        "^passed [(]fast tier; --full checks more[)]\n"
                        "speedup [0-9.]+x .* by means"));
  EXPECT_THAT(said, HasSubstr(" mean "));
  EXPECT_THAT(said, HasSubstr("root's mean"));
}

// Tasks with mistakes.
class MalformedTaskTest : public CheckoutTest {};

TEST_F(MalformedTaskTest, LeavesTheDatabaseAsItWas) {
  processes_.Succeed({"run", "sim:basic", "--budget", "3", "--db", File(),
                      "--progress", "none"});
  const std::string before = TextOf(File());
  const std::string bad = Problem("1_Bad.py", "");
  EXPECT_EQ(
      Exit({"run", "kernelbench:" + Good("2_Good.py"), "kernelbench:" + bad}),
      2);
  EXPECT_EQ(processes_.Output(),
            "coppice run: " + bad +
                ": defines no get_inputs; a KernelBench problem has a class "
                "Model, get_inputs() and get_init_inputs()\n");
  EXPECT_EQ(TextOf(File()), before);
}

TEST_F(MalformedTaskTest, IsLeftOutOfABenchmark) {
  const std::string bad = Problem("1_Bad.py", "");
  Good("2_Good.py");
  Vanishing("3_Vanishing.py");
  EXPECT_EQ(Exit({"bench", "--kernelbench",
                  (processes_.directory() / "checkout").string(), "--preset",
                  "sampling", "--budget", "1", "--code-model",
                  Agent("return 3 * x")}),
            3);
  EXPECT_THAT(processes_.Output(), HasSubstr(bad + ": defines no get_inputs"));
  EXPECT_THAT(processes_.Output(), HasSubstr("level1_2_Good"));
  EXPECT_THAT(processes_.Output(), HasSubstr("1 wrong_output"));
  EXPECT_THAT(processes_.Output(), HasSubstr("over 1 task"));
  EXPECT_THAT(processes_.Output(),
              HasSubstr("left out: level1_1_Bad: defines no get_inputs"));
  EXPECT_THAT(processes_.Output(),
              HasSubstr("left out: level1_3_Vanishing: measures nothing"));
  EXPECT_THAT(processes_.Output(), HasSubstr("success on 0 % of the tasks"));
  EXPECT_EQ(processes_.Count(File(), "campaigns"), 1);
}

TEST_F(MalformedTaskTest, WhatMeasuresNothingBeginsNoCampaignUnlessItIsKept) {
  Arguments run = {"run", "kernelbench:" + Vanishing("3_Vanishing.py"),
                   "--budget", "0"};
  EXPECT_EQ(Exit(run), 1);
  EXPECT_THAT(processes_.Output(),
              StartsWith("coppice run: level1_3_Vanishing: measures nothing, "
                         "since these pass: zeros, "));
  EXPECT_THAT(processes_.Output(), HasSubstr("keep it by --unfit keep\n"));
  EXPECT_FALSE(fs::exists(File()));

  Arguments kept = run;
  kept.insert(kept.end(), {"--unfit", "keep"});
  EXPECT_EQ(Exit(kept), 3);
  EXPECT_THAT(processes_.Output(),
              StartsWith("level1_3_Vanishing: measures nothing, since "));
  EXPECT_THAT(processes_.Output(), HasSubstr("; kept "));
  EXPECT_EQ(Exit(run), 3);
  EXPECT_THAT(processes_.Output(),
              StartsWith("level1_3_Vanishing: measures nothing, since "));
  EXPECT_THAT(processes_.Output(),
              HasSubstr("; kept, since its campaign has begun\n"));

  Arguments compare = {"compare",
                       "--policies",
                       "greedy",
                       "--tasks",
                       run[1],
                       "--seeds",
                       "1",
                       "--budget",
                       "1",
                       "--code-model",
                       Agent("return 3 * x")};
  fs::remove(File());
  EXPECT_EQ(Exit(compare), 1);
  EXPECT_THAT(processes_.Output(),
              HasSubstr("measures nothing, since these pass: zeros, "));
  EXPECT_FALSE(fs::exists(File()));
}

// Its input stays open until it has answered.
TEST_F(MalformedTaskTest, WhatMeasuresNothingIsBegunByNoService) {
  const std::string out = Put("out", "");
  const std::string request =
      R"({"jsonrpc":"2.0","id":1,"method":"start_campaign","params":{)"
      R"("task":"kernelbench:)" +
      Vanishing("3_Vanishing.py") + R"(","budget":1,"agent":"outside"}})";
  const std::string script = "(echo '" + request +
                             "'; while ! grep -q jsonrpc " + out +
                             "; do sleep 0.1; done) | " COPPICE_PROGRAM
                             " serve --stdio --devices cpu --db " +
                             File() + " > " + out;
  ASSERT_EQ(std::system(script.c_str()), 0);
  EXPECT_THAT(TextOf(out),
              AllOf(HasSubstr("level1_3_Vanishing: measures nothing, since "
                              "these pass: zeros, "),
                    HasSubstr(R"("code":"unfit")")));
}

TEST_F(MalformedTaskTest, ACheckoutIsCheckedALineForEachProblem) {
  Problem("1_Bad.py", "");
  Good("2_Good.py");
  Vanishing("3_Vanishing.py");
  Arguments check = {
      "task",          "check",
      "--kernelbench", (processes_.directory() / "checkout").string(),
      "--devices",     "cpu"};
  const auto exit = [&] {
    const int status = CampaignProcesses::Wait(processes_.Start(check));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(exit(), 1);
  EXPECT_THAT(
      processes_.Output(),
      MatchesRegex("level1_1_Bad: malformed: defines no get_inputs; [^\n]*\n"
                   "level1_2_Good: fit\n"
                   "level1_3_Vanishing: UNFIT: measures nothing, since [^\n]*\n"
                   "1 of 3 problems are fit for use, 1 unfit, 1 malformed\n"));
  check.emplace_back("--json");
  EXPECT_EQ(exit(), 1);
  EXPECT_THAT(
      processes_.Output(),
      MatchesRegex(
          "\\{\"task\":\"level1_1_Bad\",\"state\":\"malformed\",[^\n]*\n"
          "\\{\"task\":\"level1_2_Good\",\"state\":\"fit\",\"reason\":\"\"\\}\n"
          "\\{\"task\":\"level1_3_Vanishing\",\"state\":\"unfit\",[^\n]*\n"));
}

// It is not the command line that is wrong.
TEST_F(MalformedTaskTest, WhatTakesTooLongIsNoUsersMistake) {
  const std::string endless = Put("checkout/KernelBench/level1/1_Endless.py",
                                  "import torch\n"
                                  "class Model(torch.nn.Module):\n"
                                  "    def forward(self, x):\n"
                                  "        while True: pass\n"
                                  "def get_inputs():\n"
                                  "    return [torch.rand(8)]\n"
                                  "def get_init_inputs():\n"
                                  "    return []\n");
  const std::string model = Agent("return 3 * x");
  EXPECT_EQ(Exit({"run", "kernelbench:" + endless, "--code-model", model,
                  "--compile-timeout-s", "4"}),
            1);
  EXPECT_THAT(processes_.Output(),
              HasSubstr("did not return within 4 s; --compile-timeout-s allows "
                        "more, and a copy of its file with smaller sizes needs "
                        "less\n"));
  Good("2_Good.py");
  const int status = CampaignProcesses::Wait(processes_.Start(
      {"task", "check",
       "kernelbench:" + (processes_.directory() / "checkout").string(),
       "--devices", "cpu", "--compile-timeout-s", "4"}));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  EXPECT_THAT(
      processes_.Output(),
      MatchesRegex("level1_1_Endless: unknown: [^\n]*within 4 s; [^\n]*\n"
                   "level1_2_Good: fit\n"
                   "1 of 2 problems are fit for use, 1 unknown\n"));
}

// A Model that draws from a generator of its own.
TEST_F(MalformedTaskTest, WhatDoesNotRepeatBeginsNoCampaign) {
  const std::string wavering =
      Put("checkout/KernelBench/level1/1_Wavering.py",
          "import os, torch\n"
          "class Model(torch.nn.Module):\n"
          "    def forward(self, x):\n"
          "        return x + os.urandom(1)[0] + os.urandom(1)[0] / 256\n"
          "def get_inputs():\n"
          "    return [torch.rand(8)]\n"
          "def get_init_inputs():\n"
          "    return []\n");
  const std::string model = Agent("return 3 * x");
  const std::string complaint =
      "level1_1_Wavering: its Model gives other outputs for equal inputs and "
      "an equal random generator: element 0 is ";
  EXPECT_EQ(Exit({"run", "kernelbench:" + wavering, "--code-model", model}), 2);
  EXPECT_THAT(processes_.Output(), StartsWith("coppice run: " + complaint));
  EXPECT_FALSE(fs::exists(File()));

  Good("2_Good.py");
  EXPECT_EQ(Exit({"bench", "--kernelbench",
                  (processes_.directory() / "checkout").string(), "--preset",
                  "sampling", "--budget", "1", "--code-model", model}),
            3);
  EXPECT_THAT(processes_.Output(), StartsWith(complaint));
  EXPECT_THAT(processes_.Output(), HasSubstr("level1_2_Good"));
  EXPECT_EQ(processes_.Count(File(), "campaigns"), 1);
}

// Who is asked for a task in Python.
class AskingForPythonTest : public CheckoutTest {
 protected:
  static std::string Refusal(const std::string& verb) {
    return "coppice " + verb +
           ": level1_1_Good: is in Python, which the catalogue does not "
           "write; name a model for all agents, as in --code-model "
           "openai:MODEL\n";
  }
  int Column(const std::string& sql) const {
    const auto rows = nlohmann::json::parse(
        processes_.Succeed({"sql", sql, "--json", "--db", File()}));
    return rows.at(0).at("n");
  }

  const std::string task_ = "kernelbench:" + Good("1_Good.py");
};

TEST_F(AskingForPythonTest, TheCatalogueIsNotAsked) {
  EXPECT_EQ(Exit({"run", task_}), 2);
  EXPECT_EQ(processes_.Output(), Refusal("run"));
  EXPECT_EQ(Exit({"bench", "--kernelbench",
                  (processes_.directory() / "checkout").string()}),
            2);
  EXPECT_EQ(processes_.Output(), Refusal("bench"));
  EXPECT_EQ(Exit({"compare", "--policies", "stark", "--tasks", task_}), 2);
  EXPECT_EQ(processes_.Output(), Refusal("compare"));
  EXPECT_FALSE(fs::exists(File()));
}

// A command that plans, writes and repairs as it is asked to.
TEST_F(AskingForPythonTest, OneModelIsAskedEverything) {
  const Arguments begin = {"run",       task_,      "--policy",
                           "reflexion", "--budget", "0"};
  ASSERT_EQ(Exit(begin), 3) << processes_.Output();
  std::string plan = processes_.Succeed({"export", "best", "--db", File()});
  const std::string line = "        return 2 * x\n";
  plan.replace(plan.find(line), line.size(),
               "# <<<IMPROVE BEGIN>>>\n" + line + "# <<<IMPROVE END>>>\n");
  Put("planner",
      "Technique: sum\nAdd x to itself.\n```python\n" + plan + "```");
  const auto kernel = [](const std::string& sum) {
    return "```python\nimport torch\nclass ModelNew(torch.nn.Module):\n"
           "    def forward(self, x):\n        return " +
           sum + "\n```";
  };
  Put("implementer", kernel("3 * x"));
  Put("debugger", kernel("x + x"));
  const std::string agent =
      Put("agent.sh", "cd " + processes_.directory().string() +
                          "; cat $(sed -n 's/^# Your role: //p')");

  Arguments more = begin;
  more.back() = "2";
  more.insert(more.end(), {"--code-model", "exec:sh " + agent});
  Exit(more);  // 0 or 3: a machine may be too busy to tell.
  EXPECT_EQ(
      processes_.Succeed({"sql", "SELECT role, provider, outcome FROM calls",
                          "--csv", "--db", File()}),
      "role,provider,outcome\n"
      "plan,exec,answered\n"
      "code,exec,answered\n"
      "debug,exec,answered\n");
}

// Kernels of others need no agent; attempts beyond them do.
TEST_F(AskingForPythonTest, ACampaignThatNobodyWritesForDoesNotGoOn) {
  const std::string list = Put(
      "list.json",
      nlohmann::json{{{"code",
                       "import torch\nclass ModelNew(torch.nn.Module):\n"
                       "    def forward(self, x):\n        return x + x\n"}}}
          .dump());
  ASSERT_EQ(Exit({"import", "kernels", list, "--task", task_}), 0)
      << processes_.Output();
  const Arguments run = {"run", task_, "--name", "level1_1_Good.import"};
  Arguments more = run;
  more.insert(more.end(), {"--budget", "2"});
  EXPECT_EQ(Exit(more), 2);
  EXPECT_EQ(processes_.Output(), Refusal("run"));
  EXPECT_EQ(Exit({"resume", run.back(), "--budget", "2"}), 2);
  EXPECT_EQ(processes_.Output(), Refusal("resume"));
  EXPECT_EQ(Column("SELECT budget_attempts AS n FROM campaigns"), 1);

  more.insert(more.end(),
              {"--preset", "sampling", "--code-model", Agent("return x + x")});
  EXPECT_EQ(Exit(more), 2);
  EXPECT_THAT(processes_.Output(),
              HasSubstr("was begun with another --preset"));
}

INSTANTIATE_TEST_SUITE_P(Formats, PythonCampaignTest, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace coppice
