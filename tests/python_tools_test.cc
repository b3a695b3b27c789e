// coppice eval --sanitize and --profile of candidates in PyTorch.
// Needs a Python with PyTorch, and says so where there is none.
//
// What watches a device is stood in for by scripts, and the device by "cpu:0",
// which goes its way: what a candidate prints, they take for a finding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "eval/torch/interpreter.h"
#include "tests/campaign_process.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kProblem[] =
    "import torch\n"
    "class Model(torch.nn.Module):\n"
    "    def forward(self, x):\n"
    "        return torch.relu(x)\n"
    "def get_inputs():\n"
    "    return [torch.randn(300, 7)]\n"
    "def get_init_inputs():\n"
    "    return []\n";

// Line 5 is a loop that ends before `END`.
std::string Extension(const std::string& end) {
  return "import torch\n"
         "from torch.utils.cpp_extension import load_inline\n"
         "CPP = r'''\n"
         "torch::Tensor relu(torch::Tensor x) { auto y = empty_like(x);\n"
         "  for (int64_t i = 0; i < " +
         end +
         "; ++i) y.data_ptr<float>()[i] = i < x.numel() &&\n"
         "      x.data_ptr<float>()[i] > 0 ? x.data_ptr<float>()[i] : 0;\n"
         "  return y;\n"
         "}\n"
         "'''\n"
         "extension = load_inline('relu', CPP, functions=['relu'])\n"
         "class ModelNew(torch.nn.Module):\n"
         "    def forward(self, x):\n"
         "        return extension.relu(x)\n";
}

std::string Calling(const std::string& statement) {
  return "import torch, time, os  # No triton.\n"
         "class ModelNew(torch.nn.Module):\n"
         "    def forward(self, x):\n"
         "        " +
         statement +
         "\n"
         "        return torch.relu(x)\n";
}

// Runs what it is given, and complains of what that prints by its name.
constexpr char kComplainer[] = R"(
import os
import subprocess
import sys

os.environ["TOOL"] = tool = sys.argv[sys.argv.index("--tool") + 1]
assert sys.argv[sys.argv.index("--error-exitcode") + 1] == "86"
command = sys.argv[sys.argv.index("-s") - 1:]
done = subprocess.run(command, close_fds=False, stdout=subprocess.PIPE, text=True)
print("========= COMPUTE-SANITIZER")
if f"wrong for {tool}" in done.stdout:
    print("========= Invalid __global__ write of size 4 bytes")
    print("=========     at relu(float*)+0x90 in candidate.py:5")
    sys.exit(86)
print("========= ERROR SUMMARY: 0 errors")
sys.exit(done.returncode)
)";

// The same with the counters of one kernel.
constexpr char kCounter[] = R"(
import subprocess
import sys

assert "--profile-from-start" in sys.argv
command = sys.argv[sys.argv.index("-s") - 1:]
status = subprocess.call(command, close_fds=False)
print('"ID","Kernel Name","dram__bytes.sum","gpu__time_duration.sum"')
print('"","","byte","nsecond"')
print('"0","_Z4reluPf","16,800","2,000"')
sys.exit(status)
)";

class PythonToolsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = eval::torch::FindInterpreter(ChosenPython());
    if (!found) GTEST_SKIP() << found.error().what;
    python_ = found->executable;
    Write("level1/1_Relu.py", kProblem);
    fs::create_directories(toolkit() / "lib64");
    setenv("CUDA_PATH", toolkit().c_str(), 1);
  }
  void TearDown() override { unsetenv("CUDA_PATH"); }

  fs::path toolkit() const { return processes_.directory() / "toolkit"; }

  void Write(const fs::path& name, const std::string& text) const {
    const fs::path path = processes_.directory() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  void WriteTool(const fs::path& name, const std::string& text,
                 const char* beside) const {
    const fs::path path = toolkit() / name;
    Write(path, "#!" + python_.string() + "\n" + text);
    Write(path.parent_path() / beside, "");
    fs::permissions(path, fs::perms::owner_all);
  }

  void WriteSanitizer() const {
    WriteTool("compute-sanitizer/compute-sanitizer", kComplainer,
              "libsanitizer-public.so");
  }

  // What is said of the candidate, after the exit status.
  std::string Ask(const std::string& tool, const std::string& candidate,
                  const std::string& device, Arguments more = {}) const {
    return AskOf(
        "kernelbench:" + (processes_.directory() / "level1/1_Relu.py").string(),
        tool, "candidate.py", candidate, device, std::move(more));
  }
  std::string AskOf(const std::string& task, const std::string& tool,
                    const std::string& name, const std::string& candidate,
                    const std::string& device, Arguments more = {}) const {
    Write(name, candidate);
    Arguments arguments = {"eval",
                           tool,
                           task,
                           (processes_.directory() / name).string(),
                           "--python",
                           ChosenPython(),
                           "--devices",
                           device,
                           "--threads",
                           "1",
                           "--cache-directory",
                           COPPICE_TEST_CACHE};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const int status = CampaignProcesses::Wait(processes_.Start(arguments));
    return std::to_string(WEXITSTATUS(status)) + ": " + processes_.Output();
  }

  const CampaignProcesses processes_;
  fs::path python_;
};

TEST_F(PythonToolsTest, AnExtensionOutOfBoundsIsFoundInItsLine) {
  EXPECT_THAT(Ask("--sanitize", Extension("x.numel() + 1"), "cpu"),
              AllOf(StartsWith("3: crashed\n"),
                    HasSubstr("heap-buffer-overflow: write of size 4, 0 bytes"),
                    HasSubstr("candidate.py:5\n")));
}

TEST_F(PythonToolsTest, AnExtensionWithinBoundsIsClean) {
  EXPECT_EQ(Ask("--sanitize", Extension("x.numel()"), "cpu"),
            "0: clean: AddressSanitizer finds nothing\n");
}

TEST_F(PythonToolsTest, ASolutionOfATraceSetIsLookedAtOnItsFirstWorkload) {
  const fs::path source = COPPICE_SOURCE_DIR;
  std::ifstream file(source / "tests/solutions/cpp_torch.json");
  std::string solution(std::istreambuf_iterator<char>(file), {});
  const std::string end = "return largest;";
  ASSERT_NE(solution.find(end), solution.npos);
  solution.replace(solution.find(end), end.size(),
                   "return largest + (x[n] > 1e38f ? 1e-30f : 0.0f);");
  const std::string task =
      "fib:" +
      (source / "tests/trace_set/definitions/rowwise/row_scale.json").string();
  EXPECT_THAT(AskOf(task, "--sanitize", "candidate.json", solution, "cpu"),
              AllOf(StartsWith("3: crashed\n"),
                    HasSubstr("heap-buffer-overflow: read of size 4")));
}

TEST_F(PythonToolsTest, WhatIsTorchsIsNotLookedAt) {
  EXPECT_EQ(
      Ask("--sanitize", "import torch\nModelNew = torch.nn.ReLU\n", "cpu"),
      "1: coppice eval: not sanitized: it has no compiled code of "
      "its own\n");
}

TEST_F(PythonToolsTest, EachToolHasItsSay) {
  WriteSanitizer();
  EXPECT_EQ(Ask("--sanitize", Calling("print('wrong for racecheck')"), "cpu:0"),
            "3: rejected\n"
            "racecheck: Invalid __global__ write of size 4 bytes\n"
            "    at relu(float*)+0x90 in candidate.py:5\n");
}

TEST_F(PythonToolsTest, WhatTheRootHasTooIsNoFinding) {
  WriteSanitizer();
  std::string problem = kProblem;
  const std::string statement = "        print('wrong for initcheck')\n";
  problem.insert(problem.find("        return torch.relu"), statement);
  Write("level1/1_Relu.py", problem);
  EXPECT_EQ(Ask("--sanitize", Calling("print('wrong for initcheck')"), "cpu:0"),
            "0: clean: memcheck, racecheck, synccheck find nothing\n");
}

TEST_F(PythonToolsTest, WhatHangsUnderAToolIsALine) {
  WriteSanitizer();
  EXPECT_THAT(
      Ask("--sanitize",
          Calling("os.environ.get('TOOL') == 'memcheck' and time.sleep(60)"),
          "cpu:0", {"--compile-timeout-s", "2"}),
      AllOf(StartsWith("3: inconclusive\n"),
            HasSubstr("memcheck: did not return within 4 s\n")));
}

TEST_F(PythonToolsTest, WithoutAToolItIsNotSanitized) {
  EXPECT_THAT(Ask("--sanitize", Calling("pass"), "cpu:0"),
              StartsWith("1: coppice eval: not sanitized: "
                         "compute-sanitizer is not found"));
}

TEST_F(PythonToolsTest, KernelsAreCounted) {
  WriteTool("2025.3/target/linux-x64/ncu", kCounter, "libcuda-injection.so");
  EXPECT_THAT(Ask("--profile", Calling("pass"), "cpu:0"),
              AllOf(StartsWith("0: "),
                    HasSubstr("Kernel: relu (1 launch, 2 us, 16.8 kB of device "
                              "memory moved).")));
}

}  // namespace
}  // namespace coppice
