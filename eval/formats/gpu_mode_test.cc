#include "eval/formats/gpu_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr const char* kFiles =
    "files:\n"
    "  - {name: submission.py, source: '@SUBMISSION@'}\n"
    "  - {name: utils.py, source: ../utils.py}\n"
    "  - {name: reference.py, source: reference.py}\n"
    "  - {name: eval.py, source: ../eval.py}\n"
    "config: {main: eval.py}\n";

class GpuModeFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_ =
        fs::path(testing::TempDir()) / ("gpumode" + std::to_string(getpid()));
    fs::create_directories(set_ / "add");
    Write("utils.py", "U");
    Write("add/reference.py", "R");  // There is no eval.py, which is not read.
  }
  void TearDown() override { fs::remove_all(set_); }

  void Write(const std::string& file, const std::string& text) {
    std::ofstream(set_ / file) << text;
  }
  Result<GpuModeProblem> Read(const std::string& task) {
    Write("add/task.yml", task);
    return ReadGpuMode(set_ / "add");
  }
  // The complaint behind the name of its folder.
  std::string Complaint(const std::string& task) {
    const auto problem = Read(task);
    if (problem) return "nothing";
    EXPECT_EQ(problem.error().code, Errc::kUsage);
    const std::string folder = (set_ / "add").string() + "/";
    std::string what = problem.error().what;
    for (auto at = what.find(folder); at != what.npos; at = what.find(folder)) {
      what.erase(at, folder.size());
    }
    return what;
  }

  fs::path set_;
};

TEST_F(GpuModeFilesTest, AProblemIsReadWithWhatItsReferenceImports) {
  const auto problem = Read(std::string(kFiles) +
                            "lang: py\n"
                            "description: |\n"
                            "  Adds.\n"
                            "tests:\n"
                            "  - {size: 3, seed: 1}\n"
                            "benchmarks:\n"
                            "  - {size: 8, case: dense, seed: 2}\n"
                            "  - {size: 8, case: dense, seed: 3}\n"
                            "  - {ks: [1, 2], on: true, seed: 2}\n"
                            "ranking_by: geom\n");
  ASSERT_TRUE(problem) << problem.error().what;
  EXPECT_EQ(problem->description, "Adds.\n");
  EXPECT_EQ(problem->reference, "R");
  ASSERT_EQ(problem->modules.size(), 1U);
  EXPECT_EQ(problem->modules[0].name, "utils");
  EXPECT_EQ(problem->modules[0].source, "U");
  EXPECT_THAT(problem->tests, ElementsAre("size=3"));
  EXPECT_THAT(problem->benchmarks,
              ElementsAre("size=8, case=dense", "size=8, case=dense (2)",
                          "ks=[1,2], on=true"));
  EXPECT_EQ(problem->arguments,
            R"({"benchmarks":[{"size":8,"case":"dense","seed":2},)"
            R"({"size":8,"case":"dense","seed":3},)"
            R"({"ks":[1,2],"on":true,"seed":2}],)"
            R"("tests":[{"size":3,"seed":1}]})");
}

// The last of them begins at the 119th byte and ends behind the 120th.
TEST_F(GpuModeFilesTest, ALongNameIsCutBehindACharacter) {
  const std::string euro = "\xe2\x82\xac";
  const std::string letters(116, 'x');
  const auto problem =
      Read(std::string(kFiles) + "benchmarks:\n  - {c: " + letters + euro +
           "}\n  - {c: " + letters + euro + euro + "}\n  - {seed: 1}\n");
  ASSERT_TRUE(problem) << problem.error().what;
  EXPECT_THAT(problem->benchmarks,
              ElementsAre("c=" + letters + "...", "c=" + letters + "... (2)",
                          "benchmarks"));
}

TEST_F(GpuModeFilesTest, WhatIsNoUtf8IsNamedWithItsLine) {
  EXPECT_EQ(Complaint("lang: py\nbenchmarks:\n  - {case: \xe9}\n"),
            "task.yml:3: not YAML: a text that is not UTF-8");
}

TEST_F(GpuModeFilesTest, MembersOfOtherTypesAreNamed) {
  const std::string files = kFiles;
  EXPECT_EQ(Complaint("lang: 3\n" + files),
            "task.yml: /lang: expected a string");
  EXPECT_EQ(Complaint("multi_gpu: 2\n" + files),
            "task.yml: /multi_gpu: expected a bool");
  EXPECT_EQ(Complaint("description: [a]\n" + files),
            "task.yml: /description: expected a string");
  EXPECT_EQ(Complaint("benchmarks: 3\n" + files),
            "task.yml: /benchmarks: expected an array");
  EXPECT_EQ(Complaint("lang: py\n"), "task.yml: \"files\" is missing");
  EXPECT_EQ(Complaint("files: [a.py]\n"),
            "task.yml: /files/0: expected an object");
  EXPECT_EQ(Complaint("files:\n  - {name: a.py}\n"),
            "task.yml: /files/0: \"source\" is missing");
  EXPECT_EQ(Complaint("files:\n  - {name: '', source: a.py}\n"),
            "task.yml: /files/0/name: expected a string that is not empty");
  EXPECT_EQ(Complaint(files + "benchmarks: [{a: 1}]\ntests: {}\n"),
            "task.yml: /tests: expected an array");
}

TEST_F(GpuModeFilesTest, WhatCannotBeJudgedSaysWhy) {
  const std::string files = kFiles;
  EXPECT_EQ(Complaint("lang: cu\n" + files),
            "task.yml: /lang: cu: problems in Python (py) can be judged");
  EXPECT_EQ(Complaint("multi_gpu: true\n" + files),
            "task.yml: /multi_gpu: it is for several GPUs; problems for one "
            "can be judged");
  EXPECT_EQ(Complaint(files), "task.yml: has no benchmarks");
  EXPECT_EQ(Complaint(files + "benchmarks: [5]\n"),
            "task.yml: /benchmarks/0: expected arguments by their names");
  EXPECT_EQ(Complaint("files: []\n"),
            "task.yml: /files: names no reference.py");
  EXPECT_EQ(Complaint("files:\n  - {name: a.py, source: none.py}\n"),
            "task.yml: /files/0: none.py: No such file or directory");
  EXPECT_EQ(Complaint("files:\n  - {name: a.py, source: /etc/passwd}\n"),
            "task.yml: /files/0: /etc/passwd: expected a file in Python");
  EXPECT_EQ(Complaint("5"), "task.yml: expected a task's members");
  EXPECT_EQ(Complaint("files: [\n"),
            "task.yml:2: not YAML: end of sequence flow not found");
}

TEST_F(GpuModeFilesTest, AFolderWithoutATaskIsNone) {
  const auto complaint = [](const fs::path& folder) {
    const auto none = ReadGpuMode(folder);
    return none ? "nothing"
                : none.error().what.substr(folder.string().size() + 2);
  };
  const std::string is =
      "; a problem of GPU MODE is a folder with task.yml and reference.py, as "
      "problems/pmpp_v2/vectoradd_py of reference-kernels";
  fs::create_directories(set_ / "sub");
  EXPECT_EQ(complaint(set_ / "sub"), "has no task.yml" + is);
  EXPECT_EQ(complaint(set_ / "none"), "no such folder" + is);
  std::ofstream(set_ / "file") << "1";
  EXPECT_EQ(complaint(set_ / "file"), "is no folder" + is);
}

}  // namespace
}  // namespace coppice::eval
