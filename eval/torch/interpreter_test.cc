#include "eval/torch/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace coppice::eval::torch {
namespace {

using testing::HasSubstr;

TEST(InterpreterTest, AProgramThatIsNoPythonIsNamed) {
  for (const char* program : {"/usr/bin/true", "it's"}) {
    const auto found = FindInterpreter(program);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::kUnavailable);
    EXPECT_EQ(found.error().what,
              std::string(program) +
                  ": is no Python 3.9 or later; --python names one");
  }
}

TEST(InterpreterTest, AFileThatIsNotThereIsTheUsersMistake) {
  const auto found = FindInterpreter("/nowhere/python3");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kUsage);
  EXPECT_EQ(found.error().what,
            "/nowhere/python3: no such file; --python names a Python with "
            "PyTorch");
}

// Isolated from whatever modules this machine's Python may have.
TEST(InterpreterTest, APythonWithoutTorchIsToldInOneLine) {
  const auto found = FindInterpreter(COPPICE_SOURCE_DIR
                                     "/tests/kernelbench/python_without_torch");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kUnavailable);
  EXPECT_THAT(found.error().what, HasSubstr("has no PyTorch; install it (pip "
                                            "install torch)"));
}

// A program that says what a Python would.
class SaidByAProgram : public testing::Test {
 protected:
  SaidByAProgram()
      : program_(std::filesystem::path(testing::TempDir()) /
                 ("says" + std::to_string(getpid()))) {}
  ~SaidByAProgram() override { std::filesystem::remove(program_); }

  std::string Says(const std::string& text) const {
    std::ofstream(program_) << "#!/bin/sh\ncat <<'END'\n" << text << "\nEND\n";
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
    return program_;
  }

  std::filesystem::path program_;
};

using PythonFactsTest = SaidByAProgram;

TEST_F(PythonFactsTest, AreWhatItSaysOfItself) {
  const auto found = FindInterpreter(Says(
      R"({"executable": "/opt/py", "version": "3.11.7", "torch": "2.6+cpu",
          "triton": "3.2", "cuda": "12.4", "nvcc": "12.8", "path": "/opt/a:/opt/b",
          "folders": []})"));
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->executable, "/opt/py");
  EXPECT_EQ(found->version, "3.11.7");
  EXPECT_EQ(found->torch, "2.6+cpu");
  EXPECT_EQ(found->triton, "3.2");
  EXPECT_EQ(found->cuda, "12.4");
  EXPECT_EQ(found->nvcc, "12.8");
  EXPECT_EQ(found->path, "/opt/a:/opt/b");
}

// What lies in one that is shown, or in /usr/lib, is there anyway.
TEST_F(PythonFactsTest, EachFolderIsShownOnce) {
  const auto found = FindInterpreter(Says(
      R"({"torch": "2.6", "folders": ["/usr/lib/python3", "/opt/a", "/opt/a/b",
          "/opt/ab", "/opt/a", "/usr/library"]})"));
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_THAT(found->folders,
              testing::ElementsAre("/opt/a", "/opt/ab", "/usr/library"));
}

// As a site's customization may print something before it.
TEST_F(PythonFactsTest, MoreThanThatIsNotUnderstood) {
  const auto found = FindInterpreter(Says("hello\n{\"torch\": \"2.6\"}"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kUnavailable);
}

TEST_F(PythonFactsTest, AToolchainHasTheFoldersThatAreThere) {
  Interpreter interpreter;
  interpreter.executable =
      Says(R"({"python_include": "/proc/self", "cuda": "/no/such/folder"})");
  interpreter.folders = {"/opt/a"};
  const auto found = FindToolchain(interpreter, "/scripts", "");
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_THAT(found->folders, testing::ElementsAre("/opt/a", "/proc/self"));
  EXPECT_THAT(found->text, HasSubstr("python_include"));
  interpreter.folders = {"/proc"};
  EXPECT_THAT(FindToolchain(interpreter, "/scripts", "")->folders,
              testing::ElementsAre("/proc"));
}

TEST_F(PythonFactsTest, ATorchWithoutAToolchainIsNamed) {
  Interpreter interpreter;
  interpreter.executable = Says("nothing of use");
  const auto found = FindToolchain(interpreter, "/scripts", "90");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, program_.string() +
                                    ": its torch cannot compile extensions: "
                                    "inline/toolchain.py");
}

}  // namespace
}  // namespace coppice::eval::torch
