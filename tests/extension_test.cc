// Candidates that bring C++ by load_inline, through the program and the
// evaluator.  Needs a Python with PyTorch, and says so where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/kernelbench.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "tests/campaign_process.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

const fs::path kProblem =
    COPPICE_SOURCE_DIR "/tests/kernelbench/level1/1_Row_scale.py";
const fs::path kHonest =
    COPPICE_SOURCE_DIR "/tests/exploits/python/honest_extension.py";

// What candidates are compiled to is kept from run to run.
class ExtensionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = eval::torch::FindInterpreter(ChosenPython());
    if (!found) GTEST_SKIP() << found.error().what;
    options_.python = ChosenPython();
    options_.scripts = COPPICE_PYTHON_SCRIPTS;
    options_.cache_directory = COPPICE_TEST_CACHE;
    options_.threads = 1;
    options_.call_timeout_s = 20.0;
  }

  // The verdict and what was said.
  std::string Judge(const std::string& source) {
    if (evaluator_ == nullptr) {
      auto task = eval::LoadKernelBenchTask(
          options_, kProblem, Protocol::kCoppice, Delegation::kAny);
      if (!task) return task.error().what;
      task_ = std::move(*task);
      auto evaluator = eval::MakePythonEvaluator(options_);
      if (!evaluator) return evaluator.error().what;
      evaluator_ = std::move(*evaluator);
    }
    const auto evaluation = evaluator_->Evaluate(
        task_, {Language::kPython, source, "ModelNew"}, Tier::kFast);
    if (!evaluation) return evaluation.error().what;
    return std::string(Name(evaluation->verdict)) + ": " + evaluation->log;
  }

  eval::PythonEvaluatorOptions options_;
  Task task_;
  std::unique_ptr<eval::Evaluator> evaluator_;
};

// Marks the source with a line of its own, so that it is compiled.
std::string Mark() { return "fresh in " + std::to_string(getpid()); }

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Fresh() {
  std::string source = Contents(kHonest);
  const std::size_t at = source.find("torch::Tensor run(");
  return source.insert(at, "extern const char mark[];\nconst char mark[] = \"" +
                               Mark() + "\";\n");
}

TEST_F(ExtensionTest, TheProgramJudgesThem) {
  const CampaignProcesses processes;
  EXPECT_THAT(processes.Succeed({"eval", "kernelbench:" + kProblem.string(),
                                 kHonest.string(), "--devices", "cpu",
                                 "--python", ChosenPython(),
                                 "--cache-directory", COPPICE_TEST_CACHE}),
              HasSubstr("passed"));
}

TEST_F(ExtensionTest, WhatWasCompiledIsUsedAgain) {
  const std::string source = Fresh();
  ASSERT_EQ(Judge(source), "passed: ");
  std::vector<fs::path> made;  // Other tests may be making theirs.
  for (const auto& entry : fs::directory_iterator(COPPICE_TEST_CACHE)) {
    const fs::path library = entry.path() / "extension.so";
    if (Contents(library).find(Mark()) != std::string::npos) {
      made.push_back(library);
    }
  }
  ASSERT_EQ(made.size(), 1u);
  // If it is used, that this is no library will show.
  fs::resize_file(made.front(), 1);
  EXPECT_THAT(Judge(source), HasSubstr("file too short"));
  fs::remove_all(made.front().parent_path());
}

constexpr char kHead[] =
    "import torch\n"
    "from torch.utils.cpp_extension import load_inline\n";
constexpr char kWrong[] =
    "SOURCE = '''\n"
    "torch::Tensor run(torch::Tensor x) {\n"
    "  return x\n"
    "}\n"
    "'''\n";

TEST_F(ExtensionTest, AMistakeIsShownInItsOwnLine) {
  EXPECT_THAT(
      Judge(std::string(kHead) + kWrong +
            "load_inline('wrong', SOURCE, functions=['run'])\n"
            "class ModelNew(torch.nn.Module):\n    pass\n"),
      AllOf(StartsWith("compile_failed: "), HasSubstr("line 8, in <module>"),
            HasSubstr("candidate.py:5:11: error: expected"),
            HasSubstr("\n    5 |   return x\n")));
}

TEST_F(ExtensionTest, WhenItIsCompiledDoesNotMatter) {
  EXPECT_THAT(
      Judge(std::string(kHead) + kWrong +
            "class ModelNew(torch.nn.Module):\n"
            "    def forward(self, x):\n"
            "        load_inline('wrong', SOURCE, functions=['run'])\n"),
      StartsWith("compile_failed: "));
}

// On a file system of its own, with what a candidate's own compilers keep.
TEST_F(ExtensionTest, AFullDiskIsNoVerdict) {
  const CampaignProcesses processes;
  options_.cache_directory = processes.directory() / "small";
  fs::create_directory(options_.cache_directory);
  if (mount("tmpfs", options_.cache_directory.c_str(), "tmpfs", 0,
            "size=64k") != 0) {
    GTEST_SKIP() << "skipped: may not mount a tmpfs";
  }
  EXPECT_THAT(Judge("import os, torch  # and triton\n"
                    "folder = os.environ['TRITON_CACHE_DIR']\n"
                    "os.makedirs(folder)\n"
                    "with open(folder + '/x', 'wb') as file:\n"
                    "    file.write(bytes(1 << 20))\n"
                    "class ModelNew(torch.nn.Module):\n"
                    "    pass\n"),
              HasSubstr("small: disk full"));
  evaluator_.reset();
  umount(options_.cache_directory.c_str());
}

TEST_F(ExtensionTest, WhatIsNotCompiledSaysSo) {
  const std::string model = "class ModelNew(torch.nn.Module):\n    pass\n";
  EXPECT_THAT(Judge(std::string(kHead) +
                    "from torch.utils import cpp_extension\n"
                    "cpp_extension.load('kernels', ['/tmp/kernels.cpp'])\n" +
                    model),
              HasSubstr("no files can be written here; give their text to "
                        "load_inline"));
  EXPECT_THAT(
      Judge(std::string(kHead) +
            "load_inline('kernels', '', is_python_module=False)\n" + model),
      HasSubstr("only Python modules of C++ and CUDA are built here"));
}

}  // namespace
}  // namespace coppice
