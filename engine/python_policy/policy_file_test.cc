#include "engine/python_policy/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace coppice::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PolicyFileTest : public ::testing::Test {
 protected:
  PolicyFileTest() {
    std::filesystem::create_directories(folder_);
    std::ofstream(file_) << "abc";
  }
  ~PolicyFileTest() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string file_ = (folder_ / "mine.py").string();
};

// SHA-256 of "abc" is ba7816bf 8f01cfea ... (FIPS 180-2, appendix B.1).
TEST_F(PolicyFileTest, ItsNameHasTheHashOfItsText) {
  const auto policy = ReadPolicyFile("python:" + file_ + ":Mine");
  ASSERT_TRUE(policy.has_value()) << policy.error().what;
  EXPECT_EQ(policy->file, file_);
  EXPECT_EQ(policy->class_name, "Mine");
  EXPECT_EQ(policy->text, "abc");
  EXPECT_EQ(policy->name, "python:Mine@ba7816bf");
}

TEST_F(PolicyFileTest, WhatIsNoFileAndClassSaysWhatIsExpected) {
  for (const std::string& text :
       {std::string("python:"), "python:" + file_, "python:" + file_ + ":",
        "python:" + file_ + ":Mi-ne", std::string("python:mine:Mine"),
        "pyhton:" + file_ + ":Mine"}) {
    const auto policy = ReadPolicyFile(text);
    ASSERT_FALSE(policy.has_value()) << text;
    EXPECT_EQ(policy.error().code, Errc::kUsage);
    EXPECT_THAT(policy.error().what,
                AllOf(HasSubstr("'" + text + "'"),
                      HasSubstr("expected python:FILE.py:CLASS")));
  }
}

TEST_F(PolicyFileTest, AFileThatIsNotThereIsNamed) {
  const auto policy = ReadPolicyFile("python:/no/such.py:Mine");
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().code, Errc::kUsage);
  EXPECT_THAT(policy.error().what, HasSubstr("/no/such.py"));
}

TEST(EndOfPythonPolicyTest, IsWhereAContendersOwnBegins) {
  const auto rest = [](const std::string& text) {
    return text.substr(EndOfPythonPolicy(text));
  };
  EXPECT_EQ(rest("python:a.b/mine.py:Mine.alone@prompts=v1"),
            ".alone@prompts=v1");
  EXPECT_EQ(rest("python:mine.py:Mine"), "");
  EXPECT_EQ(rest("python:Mine@0123abcd.alone"), ".alone");
  EXPECT_EQ(rest("python:Mine@0123abcd@prompts=v1"), "@prompts=v1");
  EXPECT_EQ(rest("stark.alone"), "stark.alone");
}

TEST(IsOtherTextTest, IsOfTheSameClassAlone) {
  EXPECT_TRUE(IsOtherText("python:Mine@01234567", "python:Mine@89abcdef"));
  EXPECT_FALSE(IsOtherText("python:Mine@01234567", "python:Mine@01234567"));
  EXPECT_FALSE(IsOtherText("python:Mine@01234567", "python:Mines@89abcdef"));
  EXPECT_FALSE(IsOtherText("stark", "python:Mine@89abcdef"));
  EXPECT_FALSE(IsOtherText("python:Mine@01234567", "stark"));
}

}  // namespace
}  // namespace coppice::engine
