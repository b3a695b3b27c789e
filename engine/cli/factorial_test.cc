#include "engine/cli/factorial.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/cli/printed.h"

namespace coppice::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

FactorialPlan Plan() {
  return {
      engine::DesignOf({"stark", "stark.alone", "best_of_k", "best_of_k.alone"})
          .value(),
      engine::Samplings(true)};
}

// On tasks t, u and v with eight seeds each.  One task's scores are off by
// `on_v`.
std::vector<lab::Score> Scores(const std::string& policy, double log_speedup,
                               double on_v = 0.0) {
  std::vector<lab::Score> scores;
  for (const char* task : {"t", "u", "v"}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      lab::Score& score = scores.emplace_back();
      score.policy = policy;
      score.task = task;
      score.seed = seed;
      score.attempts = 30;
      score.log_speedup = log_speedup + (task == std::string("v") ? on_v : 0.0);
    }
  }
  return scores;
}

void Add(std::vector<lab::Score> more, std::vector<lab::Score>& scores) {
  scores.insert(scores.end(), more.begin(), more.end());
}

// Stark gains 0.3 as a team and 0.1 alone.  `final` are the finalists' scores;
// the first of them was chosen.
FactorialReport Report(const std::vector<lab::Score>& final) {
  FactorialReport report{
      Plan(), "60 calls", {"a", "b", "c"}, {"t", "u", "v"}, 8, 0, {}, {}};
  std::vector<lab::Score> choice = Scores("stark", 0.6);
  Add(Scores("stark.alone", 0.2), choice);
  Add(Scores("best_of_k", 0.3), choice);
  Add(Scores("best_of_k.alone", 0.1), choice);
  Add(Scores("reflexion.alone", 0.0), choice);
  report.choice = lab::Analyse(report.plan.design, choice);
  report.final = CompareFinal(report.plan, final.front().policy, final, {});
  return report;
}

FactorialReport Final(double stark, double independent, double sequential,
                      double on_v = 0.0) {
  std::vector<lab::Score> final = Scores("stark", stark, on_v);
  Add(Scores("best_of_k.alone", independent), final);
  Add(Scores("reflexion.alone", sequential), final);
  return Report(final);
}

TEST(FactorialReportTest, WhoIsAheadOfBothSamplingsWins) {
  EXPECT_EQ(FinalText(Final(0.6, 0.4, 0.1)),
            "stark wins: +0.200 (+0.200 to +0.200) over independent sampling "
            "and +0.500 (+0.500 to +0.500) over sequential sampling\n"
            "over tasks that lead is +0.200 (+0.200 to +0.200): others would "
            "show it, too\n");
}

TEST(FactorialReportTest, IfSamplingWinsItSaysSo) {
  EXPECT_THAT(FinalText(Final(0.3, 0.4, 0.1)),
              HasSubstr("independent sampling wins: +0.100 (+0.100 to +0.100) "
                        "over stark, which was chosen\n"));
  EXPECT_THAT(FinalText(Final(0.3, 0.4, 0.7)),
              HasSubstr("sequential sampling wins: +0.400"));
}

TEST(FactorialReportTest, EqualsAreNotTold) {
  EXPECT_THAT(FinalText(Final(0.4, 0.4, 0.1)),
              AllOf(HasSubstr("nobody wins: cannot tell stark from independent "
                              "sampling, over which it has -0.000"),
                    Not(HasSubstr("sequential"))));
}

// Ahead by 0.01 on two tasks and by 0.01 + 2 on the third: 24 pairs of equal
// sign tell, and three tasks do not.
TEST(FactorialReportTest, ALeadThatOneTaskMakesIsNoneOfOtherTasks) {
  EXPECT_THAT(
      FinalText(Final(0.41, 0.4, 0.4, 2.0)),
      AllOf(HasSubstr("stark wins"), HasSubstr("others might not show it")));
}

TEST(FactorialReportTest, SamplingThatWasChosenHasWonAlready) {
  std::vector<lab::Score> final = Scores("best_of_k.alone", 0.4);
  Add(Scores("reflexion.alone", 0.4), final);
  const FactorialReport report = Report(final);
  EXPECT_EQ(FinalText(report),
            "independent sampling wins: it was the best of the cells where the "
            "choice was made\n");
  EXPECT_EQ(
      nlohmann::json::parse(Printed(PrintFactorialJson, report)).at("winner"),
      "independent sampling");
}

// stark 0.6 as a team and 0.2 alone, best_of_k 0.3 and 0.1:
// agents (0.2 + 0.1 - 0.6 - 0.3) / 2 = -0.3, policy (0.4 - 0.8) / 2 = -0.2,
// both (0.1 - 0.3) - (0.2 - 0.6) = 0.2.
TEST(FactorialReportTest, ShowsCellsEffectsAndTheWinner) {
  const std::string said = Printed(PrintFactorial, Final(0.6, 0.4, 0.1));
  EXPECT_THAT(said, HasSubstr("4 cells (2 policy x 2 agents), and sampling "
                              "beside them, at equal money: 60 calls a "
                              "campaign\n"));
  EXPECT_THAT(said, HasSubstr("independent sampling is best_of_k.alone\n"));
  EXPECT_THAT(said, HasSubstr("stark                team        30.0  0.600"));
  EXPECT_THAT(said, HasSubstr("sequential sampling              30.0  0.000"));
  EXPECT_THAT(said, HasSubstr("agents           team -> alone               "
                              "       -0.300"));
  EXPECT_THAT(said, HasSubstr("policy x agents  stark -> best_of_k, team -> "
                              "alone  +0.200"));
  EXPECT_THAT(said, HasSubstr("more together"));
  EXPECT_THAT(said, HasSubstr("chosen: stark\nheld out: 3 other tasks with 8 "
                              "other seeds"));
  EXPECT_THAT(said, HasSubstr("\nstark wins: "));
}

TEST(FactorialReportTest, WhatIsNotRunIsNotJudged) {
  FactorialReport report = Final(0.6, 0.4, 0.1);
  report.final = {};
  report.missing = 3;
  const std::string said = Printed(PrintFactorial, report);
  EXPECT_THAT(said, HasSubstr("3 campaigns are not at the end of the budget"));
  EXPECT_THAT(said, Not(HasSubstr("wins:")));
  const auto json = nlohmann::json::parse(Printed(PrintFactorialJson, report));
  EXPECT_TRUE(json.at("chosen").is_null());
  EXPECT_TRUE(json.at("winner").is_null());
  EXPECT_EQ(json.at("effects").size(), 3u);
}

TEST(FactorialReportTest, JsonHasAllOfIt) {
  const auto json =
      nlohmann::json::parse(Printed(PrintFactorialJson, Final(0.6, 0.4, 0.1)));
  EXPECT_EQ(json.at("cells")[0].at("levels").at("agents"), "team");
  EXPECT_NEAR(json.at("effects")[2]
                  .at("log_speedup_over_tasks")
                  .at("value")
                  .get<double>(),
              0.2, 1e-12);
  EXPECT_EQ(json.at("effects")[0].at("changes")[0].at("to"), "best_of_k");
  EXPECT_EQ(json.at("winner"), "stark");
  EXPECT_EQ(json.at("final").at("baseline"), "stark");
}

TEST(FactorialPlanTest, SamplingIsAlwaysThereAndOnce) {
  EXPECT_THAT(Plan().Contenders(),
              ElementsAre("stark", "stark.alone", "best_of_k",
                          "best_of_k.alone", "reflexion.alone"));
  EXPECT_THAT(Plan().Finalists("stark"),
              ElementsAre("stark", "best_of_k.alone", "reflexion.alone"));
  EXPECT_THAT(Plan().Finalists("best_of_k.alone"),
              ElementsAre("best_of_k.alone", "reflexion.alone"));
}

TEST(FactorialPlanTest, WhatChoosesDoesNotJudge) {
  EXPECT_TRUE(CheckHeldOut({"t", "u"}, {"v"}));
  EXPECT_THAT(CheckHeldOut({"t", "u"}, {"v", "u"}).error().what,
              HasSubstr("--held-out u: is among --tasks"));
  EXPECT_THAT(HeldOutSeeds({1, 2}).value(),
              ElementsAre(1'000'000'001u, 1'000'000'002u));
  EXPECT_THAT(HeldOutSeeds({1'000'000'000u}).error().what,
              HasSubstr("are held out"));
}

}  // namespace
}  // namespace coppice::cli
