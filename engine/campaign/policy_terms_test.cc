#include "engine/campaign/policy_terms.h"

#include <gtest/gtest.h>

#include <fstream>

#include "search/policy.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {
namespace fs = std::filesystem;

class PolicyTermsTest : public testing::Test {
 protected:
  PolicyTermsTest() { settings_.data_directory = directory_.File("data"); }

  void Write(const fs::path& path, const char* text) const {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  store::ScratchDirectory directory_;
  config::Settings settings_;
};

TEST_F(PolicyTermsTest, AScriptBesideTheTasksComesFirst) {
  const fs::path script = settings_.data_directory / "policy.py";
  Write(script, "");
  EXPECT_EQ(PolicyScript(settings_), script);
}

// Else "greedy" would be a file that cannot be read.
TEST_F(PolicyTermsTest, OnlyANameOfPythonsIsLookedForInAFile) {
  LendPolicy("greedy", settings_);
  LendPolicy("stark", settings_);
  EXPECT_TRUE(search::MakePolicy("greedy"));
  EXPECT_TRUE(search::MakePolicy("stark"));
}

// What a database says is never a file that is run: only what was typed is.
TEST_F(PolicyTermsTest, AStoredNameAloneIsUnknown) {
  LendPolicy("python:Unlent@01234567", settings_);
  const auto made = search::MakePolicy("python:Unlent@01234567");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::kUsage);
}

TEST_F(PolicyTermsTest, WhatIsWrongWithAFileShowsWhereItIsMade) {
  const std::string typed =
      "python:" + directory_.File("none.py").string() + ":Mine";
  LendPolicy(typed, settings_);
  const auto made = search::MakePolicy(typed);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::kUsage);
  EXPECT_NE(made.error().what.find("none.py"), std::string::npos);
}

TEST_F(PolicyTermsTest, ThePythonOfTheSettingsRunsIt) {
  const fs::path file = directory_.File("mine.py");
  Write(file, "class Mine:\n    pass\n");
  Write(settings_.data_directory / "policy.py", "");
  settings_.policy_python = directory_.File("no_python").string();
  const std::string typed = "python:" + file.string() + ":Mine";
  LendPolicy(typed, settings_);
  const auto made = search::MakePolicy(typed);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("--policy-python"), std::string::npos)
      << made.error().what;
}

}  // namespace
}  // namespace coppice::engine
