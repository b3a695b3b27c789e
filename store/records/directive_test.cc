#include "store/records/directive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <string>
#include <vector>

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

// What a row of each kind has at least, so that it may be stored.
struct Least {
  DirectiveKind kind;
  bool node;
  const char* text;
  const char* aspect;
  double amount;  // -1: none.
};

constexpr Least kLeast[] = {
    {kAdvise, false, "x", "", -1},
    {kForbid, false, "x", "technique", -1},
    {kRequire, false, "x", "header", -1},
    {kFreeze, true, "", "", -1},
    {kUnfreeze, true, "", "", -1},
    {kBoost, true, "", "", 3},
    {kInsert, true, "x", "", -1},
    {kPause, false, "", "", -1},
    {kResume, false, "", "", -1},
    {kBudget, false, "", "usd", 3},
    {kPolicy, false, "x", "", -1},
    {kTemperature, false, "", "", 1},
    {kNote, false, "x", "", -1},
    {kPin, true, "", "", -1},
    {kLift, false, "", "", -1},
    {kModel, false, "x", "", -1},
    {kJudge, true, "", "", -1},
    {kGate, false, "", "", -1},
    {kApprove, false, "", "attempts", 3},
};
static_assert(std::size(kLeast) == kDirectiveKinds);

Directive Row(const Least& least) {
  Directive row = Made(least.kind, 1, 0);
  if (least.node) row.node = NodeId{1};
  row.text = least.text;
  row.aspect = least.aspect;
  if (least.amount >= 0) row.amount = least.amount;
  if (least.kind == kLift) row.target = DirectiveId{9};
  return row;
}

bool Holds(const Directive& row) { return CheckDirective(row).has_value(); }

TEST(DirectiveTest, TheLeastOfEachKindHoldsAndNothingOfItMayBeLeftOut) {
  for (const Least& least : kLeast) {
    const Directive row = Row(least);
    const std::string name(Name(least.kind));
    EXPECT_TRUE(Holds(row)) << name;
    Directive less = row;
    less.node.reset();
    EXPECT_EQ(Holds(less), !least.node) << name;
    less = row;
    less.text = " \t\r\n";
    const bool needs_text = *least.text != '\0';
    EXPECT_EQ(Holds(less), least.kind == kPin) << name;
    less.text = "";
    EXPECT_EQ(Holds(less), !needs_text) << name;
    less = row;
    less.amount.reset();
    EXPECT_EQ(Holds(less), least.amount < 0) << name;
    less = row;
    less.aspect = "";
    EXPECT_EQ(Holds(less), *least.aspect == '\0') << name;
    less = row;
    less.target.reset();
    EXPECT_EQ(Holds(less), least.kind != kLift) << name;
    less = row;
    less.author = "";
    EXPECT_FALSE(Holds(less)) << name;
  }
}

TEST(DirectiveTest, WhatAKindHasNoUseForIsRefused) {
  const auto kinds_that_take = [](void (*add)(Directive&)) {
    std::string names;
    for (const Least& least : kLeast) {
      Directive row = Row(least);
      add(row);
      if (!Holds(row)) continue;
      names.append(names.empty() ? "" : " ").append(Name(least.kind));
    }
    return names;
  };
  EXPECT_EQ(
      kinds_that_take([](Directive& row) { row.node = NodeId{1}; }),
      "advise forbid require freeze unfreeze boost insert note pin judge");
  EXPECT_EQ(kinds_that_take([](Directive& row) { row.text = "x"; }),
            "advise forbid require insert policy note pin model");
  EXPECT_EQ(kinds_that_take([](Directive& row) { row.amount = 2.0; }),
            "boost budget temperature approve");
  EXPECT_EQ(kinds_that_take([](Directive& row) { row.role = Role::kCode; }),
            "advise temperature model");
  EXPECT_EQ(
      kinds_that_take([](Directive& row) { row.target = DirectiveId{2}; }),
      "lift");
  EXPECT_EQ(kinds_that_take([](Directive& row) { row.aspect = "usd"; }),
            "budget approve");
  EXPECT_EQ(kinds_that_take([](Directive& row) { row.aspect = "seconds"; }),
            "budget");
  EXPECT_EQ(kinds_that_take([](Directive& row) { row.aspect = "constraint"; }),
            "forbid require");
}

TEST(DirectiveTest, AnAmountIsWithinItsLimits) {
  const auto may = [](DirectiveKind kind, const char* aspect, double amount) {
    Directive row = Made(kind, 1, 0);
    if (kind == kBoost) row.node = NodeId{1};
    row.aspect = aspect;
    row.amount = amount;
    return Holds(row);
  };
  EXPECT_TRUE(may(kBoost, "", 1));
  EXPECT_TRUE(may(kBoost, "", 1000));
  EXPECT_FALSE(may(kBoost, "", 1001));
  EXPECT_FALSE(may(kBoost, "", 1.5));
  EXPECT_TRUE(may(kTemperature, "", 0));
  EXPECT_TRUE(may(kTemperature, "", 2));
  EXPECT_TRUE(may(kTemperature, "", 0.35));
  EXPECT_TRUE(may(kBudget, "usd", 0.5));
  EXPECT_TRUE(may(kBudget, "seconds", 0.5));
  EXPECT_FALSE(may(kBudget, "tokens", 0.5));
  EXPECT_TRUE(may(kBudget, "tokens", 0));
  EXPECT_TRUE(may(kBudget, "attempts", 1e12));
  EXPECT_FALSE(may(kBudget, "attempts", 1e12 + 1));
  EXPECT_FALSE(may(kApprove, "attempts", 0.5));
  EXPECT_TRUE(may(kApprove, "usd", 0.5));
  for (const double none : {-1.0, -0.001, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    EXPECT_FALSE(may(kBudget, "usd", none)) << none;
    EXPECT_FALSE(may(kTemperature, "", none)) << none;
  }
}

TEST(DirectiveTest, OnlyNotesAndPinsLeaveTheSearchAlone) {
  for (const Least& least : kLeast) {
    EXPECT_EQ(Steers(least.kind), least.kind != kNote && least.kind != kPin)
        << Name(least.kind);
  }
}

// 33 characters of 3 bytes are 99, and the next would end at 102; of 100 bytes
// none is left out.
TEST(DirectiveTest, ALongLineEndsBetweenCharacters) {
  Directive note = Made(kNote, 1, 0);
  const auto line = [&](const std::string& text) {
    note.text = text;
    return DirectiveText(note).substr(std::string("note: ").size());
  };
  std::string tree;
  for (int i = 0; i < 33; ++i) tree += "\xE6\x9C\xA8";
  EXPECT_EQ(line(tree + "\xE6\x9C\xA8"), tree + "...");
  EXPECT_EQ(line(tree + "x"), tree + "x");
  EXPECT_EQ(line(tree + "xy"), tree + "x...");
  EXPECT_EQ(line(std::string(100, 'x')), std::string(100, 'x'));
  EXPECT_EQ(line(std::string(101, 'x')), std::string(100, 'x') + "...");
}

TEST(DirectiveTest, EachPartOfARowIsInItsLine) {
  Directive row = Made(kForbid, 1, 4);
  row.node = NodeId{3};
  row.aspect = kHeaderAspect;
  row.text = "cublas.h";
  EXPECT_EQ(DirectiveText(row), "forbid node 3 header: cublas.h");
  row = Made(kLift, 1, 4);
  row.target = DirectiveId{12};
  EXPECT_EQ(SteeredText(row),
            "ana: lift directive 12: holds from decision 4 on");
  row = Made(kTemperature, 1, 4);
  row.role = Role::kDebug;
  row.amount = 0.1;
  EXPECT_EQ(DirectiveText(row), "temperature debug 0.1");
  row = Made(kBudget, 1, 4);
  row.aspect = kTokensAspect;
  row.amount = 1'500'000;
  EXPECT_EQ(DirectiveText(row), "budget tokens 1.5e+06");
  row = Made(kJudge, 1, 4);
  row.node = kRootNode;
  EXPECT_EQ(SteeredText(row),
            "ana: judge node 0: done, and counts from decision 4 on");
}

// A lift of a lift holds nothing again, and one that came too late lifts
// nothing yet.
TEST(DirectiveTest, WhatWasLiftedStaysLifted) {
  std::vector<Directive> all = {Made(kPause, 1, 0), Made(kLift, 2, 3),
                                Made(kLift, 3, 5)};
  all[1].target = DirectiveId{1};
  all[2].target = DirectiveId{2};
  EXPECT_THAT(Ids(InForce(all, 2)), testing::ElementsAre(1));
  EXPECT_THAT(Ids(InForce(all, 3)), testing::ElementsAre());
  EXPECT_THAT(Ids(InForce(all, 5)), testing::ElementsAre());
}

TEST(DirectiveTest, OfOneDecisionTheEarlierRowIsFirst) {
  const std::vector<Directive> all = {Made(kPause, 7, 2), Made(kGate, 3, 2),
                                      Made(kResume, 9, 1)};
  EXPECT_THAT(Ids(InForce(all, 2)), testing::ElementsAre(9, 3, 7));
}

}  // namespace
}  // namespace coppice
