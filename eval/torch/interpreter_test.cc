#include "eval/torch/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace coppice::eval::torch
