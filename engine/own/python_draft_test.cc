// What python_function.py says, as the program tells it;
// python_function_test.py has what it makes of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/own/python_function.h"

namespace coppice::engine::own {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PythonDraftTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<PythonDraft> Draft(const std::string& text, const std::string& inputs,
                            const std::string& python = "python3") {
    std::ofstream(file_) << text;
    return DraftPython(python, file_, "", inputs);
  }

  // Its name is a word of a shell only if it is quoted.
  const fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("coppice python's ") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  const fs::path file_ = folder_ / "mine.py";
};

TEST_F(PythonDraftTest, AFunctionIsDraftedWithWhatShouldBeKnown) {
  const auto draft =
      Draft("import torch\ndef act(x):\n    return torch.relu(x)\n",
            "torch.randn(8, 'it''s')");
  ASSERT_TRUE(draft) << draft.error().what;
  EXPECT_EQ(draft->function, "act");
  EXPECT_THAT(draft->text, HasSubstr("return torch.relu(x)"));
  EXPECT_THAT(draft->notes,
              testing::ElementsAre("its inputs are what --inputs says"));
}

TEST_F(PythonDraftTest, AMistakeIsToldWithItsFileAndLine) {
  const auto broken = Draft("def f(:\n", "1");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Errc::kUsage);
  EXPECT_EQ(broken.error().what, file_.string() + ":1: invalid syntax");
  EXPECT_EQ(Draft("", "1").error().what,
            file_.string() + ": no function is defined in it");
}

// The problem that was made of it, and its Model, are nothing that a user
// wrote.
TEST_F(PythonDraftTest, WhatItReturnsIsToldInItsOwnWords) {
  const std::string wide =
      "act/act.py: what Model.forward returned is a tensor of torch.float64, "
      "which is not supported";
  const auto numpy =
      Draft("import numpy as np\ndef act(x):\n    return np.exp(x)\n", "1");
  const auto torch =
      Draft("import torch\ndef act(x):\n    return torch.exp(x)\n", "1");
  ASSERT_TRUE(numpy && torch);
  EXPECT_EQ(InWordsOf(*numpy, wide),
            "act returns float64: cast it, as in .astype(np.float32)");
  EXPECT_EQ(InWordsOf(*torch, wide),
            "act returns float64: cast it, as in .float()");
  EXPECT_EQ(InWordsOf(*torch,
                      "act/act.py: what Model.forward returned is a "
                      "sparse tensor; expected a dense one"),
            "what act returned is a sparse tensor; expected a dense one");
  EXPECT_EQ(InWordsOf(*torch,
                      "what get_inputs() returned is a tensor of "
                      "torch.float64, which is not supported"),
            "what get_inputs() returned is a tensor of torch.float64, which "
            "is not supported");
}

TEST_F(PythonDraftTest, AnInterpreterThatDoesNotRunIsUnavailable) {
  const auto draft = Draft("def f(x):\n    return x\n", "1", "/no/python");
  ASSERT_FALSE(draft);
  EXPECT_EQ(draft.error().code, Errc::kUnavailable);
  EXPECT_THAT(draft.error().what, testing::StartsWith("/no/python: does not"));
}

}  // namespace
}  // namespace coppice::engine::own
