// What coppice submit makes of kernels of what is simulated, and of mistakes;
// kernels that have to be compiled are in tests/submission_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SubmitTest : public ::testing::Test, protected Rehearsal {
 protected:
  std::string Error(const std::vector<std::string>& words) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    return said.err;
  }
};

TEST_F(SubmitTest, MistakesAreTold) {
  EXPECT_THAT(Error({"submit"}), HasSubstr("missing TASK|CAMPAIGN"));
  EXPECT_THAT(Error({"submit", "a"}), HasSubstr("missing FILE"));
  EXPECT_THAT(Error({"submit", "a", "x.cc", "--author", "A\nB"}),
              HasSubstr("--author: has control characters"));
  EXPECT_THAT(Error({"submit", "a", "x.cc", "--author", std::string(81, 'x')}),
              HasSubstr("--author: is longer than 80 characters"));
  EXPECT_THAT(Error({"submit", "a", "x.cc", "--auther", "Ann"}),
              HasSubstr("did you mean '--author'?"));
}

// Points of sim:basic: its root, and one that is faster.
constexpr const char* kSlowPoint =
    "sim basic\nlayout 0\ntile 0\nvectorise 0\nunroll 0\nprefetch 0\n"
    "fuse 0\n";
constexpr const char* kFastPoint =
    "sim basic\nlayout 0\ntile 0\nvectorise 3\nunroll 0\nprefetch 0\n"
    "fuse 0\n";

class SubmittedTest : public ::testing::Test, protected Rehearsal {
 protected:
  SubmittedTest() { Install(); }

  Said Submit(const std::vector<std::string>& more,
              const std::string& input = {}) {
    std::vector<std::string> words = {"submit", "sim:basic", "--progress",
                                      "none"};
    words.insert(words.end(), more.begin(), more.end());
    return SayIn("new.db", words, input);
  }
};

TEST_F(SubmittedTest, AKernelIsJudgedAndRanked) {
  const std::string slow = Put("slow.sim", kSlowPoint);
  const Said said = Submit({slow, "--author", "Ann"});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, HasSubstr(slow + "  passed "));
  EXPECT_THAT(said.out, HasSubstr("\ncampaign sim:basic.submissions\n"));
  const Said faster = Submit({"-", "--json"}, kFastPoint);
  const auto json = nlohmann::json::parse(faster.out);
  EXPECT_EQ(json["campaign"], "sim:basic.submissions");
  ASSERT_EQ(json["kernels"].size(), 1u);
  const auto& kernel = json["kernels"][0];
  EXPECT_EQ(kernel["file"], "-");
  EXPECT_EQ(kernel["origin"], "standard input");
  EXPECT_EQ(kernel["author"], "");
  EXPECT_EQ(kernel["new"], true);
  EXPECT_EQ(kernel["node"], 2);
  EXPECT_EQ(kernel["verdict"], "passed");
  EXPECT_EQ(kernel["rank"], 1);
  EXPECT_GT(kernel["speedup"], 1.05);
}

// What fails tells why, and what was there before whose it is.
TEST_F(SubmittedTest, WhatIsKnownAndWhatFailsAreTold) {
  const std::string slow = Put("slow.sim", kSlowPoint);
  const std::string bad = Put("bad.sim", "no point\n");
  Submit({slow, "--author", "Ann"});
  const Said said = Submit({slow, bad, "--author", "Bob"});
  EXPECT_EQ(said.exit, Exit::kNoImprovement);
  EXPECT_THAT(said.out,
              HasSubstr(slow +
                        ": was submitted before as slow.sim "
                        "by Ann\n\n" +
                        bad + ":\n  line 1: expected 'sim LANDSCAPE'\n"));
}

TEST_F(SubmittedTest, WhatNobodyWaitsForIsJudgedLater) {
  const Said said = Submit({Put("slow.sim", kSlowPoint), "--no-wait"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out, HasSubstr("not judged yet"));
  EXPECT_THAT(said.err, HasSubstr("sim:basic.submissions: it is judged by "
                                  "whoever runs the campaign: coppice resume "
                                  "--db "));
  EXPECT_THAT(SayIn("new.db", {"status"}).out, HasSubstr(" 0/1 "));
  EXPECT_EQ(SayIn("new.db", {"resume", "--progress", "none"}).err, "");
  EXPECT_THAT(SayIn("new.db", {"status"}).out, HasSubstr(" 1/1 "));
}

TEST_F(SubmittedTest, ACampaignThatIsNamedTakesIt) {
  SayIn("new.db", {"run", "sim:basic", "--budget", "1", "--name", "mine",
                   "--progress", "none"});
  const Said said =
      SayIn("new.db", {"submit", "mine", Put("slow.sim", kSlowPoint),
                       "--progress", "none", "--json"});
  EXPECT_EQ(nlohmann::json::parse(said.out)["campaign"], "mine");
}

TEST_F(SubmittedTest, WhatCannotBeSubmittedMakesNoFile) {
  const auto refused = [&](const std::vector<std::string>& words) {
    const Said said = SayIn("new.db", words);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.out;
    EXPECT_FALSE(std::filesystem::exists(File("new.db")));
    return said.err;
  };
  EXPECT_THAT(refused({"submit", "sim:basci", "x.sim"}),
              AllOf(HasSubstr("did you mean sim:basic?"),
                    HasSubstr("; nor has " + File("new.db").string() +
                              " a campaign of that name\n")));
  EXPECT_THAT(refused({"submit", "sim:basic", "-", "-"}),
              HasSubstr("-: standard input can be read but once"));
  const std::string blank = Put("blank.sim", " \n\t\n");
  EXPECT_THAT(refused({"submit", "sim:basic", blank}),
              HasSubstr(blank + ": holds no kernel"));
  EXPECT_THAT(refused({"submit", "sim:basic", File("no.sim").string()}),
              HasSubstr("no.sim"));
}

}  // namespace
}  // namespace coppice::cli
