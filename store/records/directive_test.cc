#include "store/records/directive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/records/model_call.h"

namespace coppice {
namespace {

using enum DirectiveKind;

Directive Made(DirectiveKind kind, std::int64_t id, std::int64_t since) {
  Directive directive;
  directive.id = DirectiveId{id};
  directive.author = "ana";
  directive.kind = kind;
  directive.outcome = DirectiveOutcome::kApplied;
  directive.effective_decision = since;
  return directive;
}

std::vector<std::int64_t> Ids(const std::vector<const Directive*>& in_force) {
  std::vector<std::int64_t> ids;
  for (const Directive* each : in_force) ids.push_back(Index(each->id));
  return ids;
}

TEST(DirectiveTest, EachKindAndOutcomeIsFoundByItsName) {
  for (int i = 0; i < kDirectiveKinds; ++i) {
    const auto kind = static_cast<DirectiveKind>(i);
    EXPECT_EQ(DirectiveKindNamed(Name(kind)), kind);
  }
  EXPECT_EQ(DirectiveKindNamed("quarantine"), std::nullopt);
  EXPECT_EQ(DirectiveOutcomeNamed("refused"), DirectiveOutcome::kRefused);
  EXPECT_EQ(DirectiveOutcomeNamed(""), std::nullopt);
}

TEST(DirectiveTest, ItHoldsFromItsDecisionOnUntilItIsLifted) {
  std::vector<Directive> all = {Made(kAdvise, 1, 5), Made(kFreeze, 2, 3),
                                Made(kLift, 3, 8)};
  all[0].text = "x";
  all[1].node = NodeId{2};
  all[2].target = DirectiveId{1};
  EXPECT_THAT(Ids(InForce(all, 2)), testing::ElementsAre());
  EXPECT_THAT(Ids(InForce(all, 4)), testing::ElementsAre(2));
  // In the order in which they came to hold.
  EXPECT_THAT(Ids(InForce(all, 5)), testing::ElementsAre(2, 1));
  EXPECT_THAT(Ids(InForce(all, 7)), testing::ElementsAre(2, 1));
  EXPECT_THAT(Ids(InForce(all, 8)), testing::ElementsAre(2));
}

TEST(DirectiveTest, WhatIsPendingRefusedOrWithdrawnDoesNotHold) {
  std::vector<Directive> all(3, Made(kAdvise, 1, 0));
  for (Directive& each : all) each.text = "x";
  all[0].outcome = DirectiveOutcome::kPending;
  all[1].outcome = DirectiveOutcome::kRefused;
  all[2].outcome = DirectiveOutcome::kWithdrawn;
  EXPECT_THAT(InForce(all, 9), testing::IsEmpty());
}

TEST(DirectiveTest, ARowThatLacksSomethingDoesNotHold) {
  const std::vector<Directive> all = {Made(kAdvise, 1, 0), Made(kPause, 2, 0)};
  EXPECT_THAT(Ids(InForce(all, 9)), testing::ElementsAre(2));
}

struct Flaw {
  Directive directive;
  const char* what;
};

TEST(DirectiveTest, WhatARowLacksIsSaid) {
  std::vector<Flaw> flaws = {
      {Made(kFreeze, 1, 0), "freeze: needs a node"},
      {Made(kAdvise, 1, 0), "advise: needs a text"},
      {Made(kBoost, 1, 0), "boost: needs a number"},
      {Made(kLift, 1, 0), "lift: needs a directive to lift"},
      {Made(kForbid, 1, 0),
       "forbid: expected one of technique, pattern, header, constraint"},
      {Made(kPause, 1, 0), "pause: takes no node"},
      {Made(kBoost, 1, 0), "boost: expected 1 to 1000 attempts"},
      {Made(kBudget, 1, 0), "budget: expected a whole number"},
      {Made(kTemperature, 1, 0), "temperature: expected 0 to 2"},
      {Made(kAdvise, 1, 0), "no author"},
  };
  flaws[2].directive.node = NodeId{1};
  flaws[4].directive.text = "x";
  flaws[5].directive.node = NodeId{1};
  flaws[6].directive.node = NodeId{1};
  flaws[6].directive.amount = 0.0;
  flaws[7].directive.aspect = kAttemptsAspect;
  flaws[7].directive.amount = 2.5;
  flaws[8].directive.amount = 2.1;
  flaws[9].directive.text = "x";
  flaws[9].directive.author = "";
  for (const Flaw& flaw : flaws) {
    const auto checked = CheckDirective(flaw.directive);
    ASSERT_FALSE(checked) << flaw.what;
    EXPECT_EQ(checked.error().what, flaw.what);
    EXPECT_EQ(checked.error().code, Errc::kUsage);
  }
}

TEST(DirectiveTest, AdviceIsShownWholeOrRefused) {
  Directive advice = Made(kAdvise, 1, 0);
  advice.text = std::string(1500, 'x');
  EXPECT_TRUE(CheckDirective(advice));
  advice.text += 'x';
  EXPECT_EQ(CheckDirective(advice).error().what,
            "advice of 1501 bytes: agents are shown 1500 at most");
  advice.text = "x" + std::string(99, '\n');
  EXPECT_TRUE(CheckDirective(advice));
  advice.text += '\n';
  EXPECT_EQ(CheckDirective(advice).error().what,
            "advice of more than 100 lines");
}

TEST(DirectiveTest, ALineOfItLeavesOutWhatIsLong) {
  Directive boost = Made(kBoost, 1, 12);
  boost.node = NodeId{7};
  boost.amount = 3.0;
  EXPECT_EQ(DirectiveText(boost), "boost node 7 3");
  EXPECT_EQ(SteeredText(boost),
            "ana: boost node 7 3: holds from decision 12 on");
  Directive advice = Made(kAdvise, 1, 0);
  advice.role = Role::kPlan;
  advice.text = "tile\nfor L2";
  EXPECT_EQ(DirectiveText(advice), "advise plan: tile...");
  advice.refusal = "no";
  EXPECT_EQ(SteeredText(advice), "ana: advise plan: tile...: refused: no");
}

}  // namespace
}  // namespace coppice
