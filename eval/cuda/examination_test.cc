#include "eval/cuda/examination.h"

#include <gtest/gtest.h>

namespace coppice::eval::cuda {
namespace {

using Outcome = Watched::Outcome;

TEST(ExaminationTest, WithoutFindingsItPasses) {
  const auto report = Conclude(
      {{"memcheck", Outcome::kClean, ""}, {"racecheck", Outcome::kClean, ""}});
  EXPECT_EQ(report.verdict, Verdict::kPassed);
  EXPECT_EQ(report.log, "");
}

TEST(ExaminationTest, AnAccessOutOfBoundsIsACrash) {
  const auto report = Conclude({{"memcheck", Outcome::kFound, "Invalid read"}});
  EXPECT_EQ(report.verdict, Verdict::kCrashed);
  EXPECT_EQ(report.log, "memcheck: Invalid read\n");
}

TEST(ExaminationTest, OtherFindingsAreRejected) {
  for (const char* tool : {"racecheck", "initcheck", "synccheck"}) {
    EXPECT_EQ(Conclude({{tool, Outcome::kFound, "x"}}).verdict,
              Verdict::kRejected);
  }
}

TEST(ExaminationTest, AToolThatCannotTellHasNotPassedIt) {
  EXPECT_EQ(Conclude({{"memcheck", Outcome::kClean, ""},
                      {"racecheck", Outcome::kNoWord, "stopped"}})
                .verdict,
            Verdict::kInconclusive);
}

TEST(ExaminationTest, AFindingCountsMoreThanNoWord) {
  const auto report = Conclude({{"memcheck", Outcome::kNoWord, "stopped"},
                                {"racecheck", Outcome::kFound, "a race\n"}});
  EXPECT_EQ(report.verdict, Verdict::kRejected);
  EXPECT_EQ(report.log, "memcheck: stopped\nracecheck: a race\n");
}

TEST(ExaminationTest, TheFirstFindingGivesTheVerdict) {
  EXPECT_EQ(Conclude({{"memcheck", Outcome::kFound, "x"},
                      {"racecheck", Outcome::kFound, "y"}})
                .verdict,
            Verdict::kCrashed);
}

const std::vector<Watched> kOfCandidate = {
    {"memcheck", Outcome::kClean, ""},
    {"racecheck", Outcome::kFound, "a race"},
    {"initcheck", Outcome::kNoWord, "stopped"}};

std::vector<std::string> ToolsOf(const std::vector<Watched>& all) {
  std::vector<std::string> tools;
  for (const Watched& watched : all) tools.push_back(watched.tool);
  return tools;
}

TEST(ExaminationTest, TheRootIsAskedAboutByThoseThatComplain) {
  EXPECT_EQ(Doubtful(kOfCandidate, {}),
            (std::vector<std::string_view>{"racecheck", "initcheck"}));
}

TEST(ExaminationTest, TheRootIsAskedAboutOnce) {
  EXPECT_EQ(Doubtful(kOfCandidate, {{"racecheck", Outcome::kClean, ""}}),
            std::vector<std::string_view>{"initcheck"});
}

TEST(ExaminationTest, WhoComplainsOfTheRootTooIsOfNoUse) {
  const auto left = OfUse(kOfCandidate, {{"racecheck", Outcome::kFound, "it"},
                                         {"initcheck", Outcome::kClean, ""}});
  EXPECT_EQ(ToolsOf(left), (std::vector<std::string>{"memcheck", "initcheck"}));
  EXPECT_EQ(Conclude(left).verdict, Verdict::kInconclusive);
}

TEST(ExaminationTest, WhoCannotTellOfTheRootIsOfNoUse) {
  const auto left = OfUse(kOfCandidate, {{"initcheck", Outcome::kNoWord, "?"}});
  EXPECT_EQ(ToolsOf(left), (std::vector<std::string>{"memcheck", "racecheck"}));
}

}  // namespace
}  // namespace coppice::eval::cuda
