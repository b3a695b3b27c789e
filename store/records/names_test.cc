// Names of what is stored by number: each its own, whatever a file may hold.
#include "store/records/names.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "store/records/attempt.h"
#include "store/records/behaviour.h"
#include "store/records/directive.h"
#include "store/records/language.h"
#include "store/records/model_call.h"
#include "store/records/outcome.h"
#include "store/records/profile.h"
#include "store/records/session_call.h"
#include "store/records/ticket.h"
#include "store/records/verdict.h"
#include "store/records/window.h"

namespace coppice {
namespace {

template <class Kind>
std::vector<std::string_view> NamesUpTo(int count) {
  std::vector<std::string_view> names;
  for (int i = 0; i < count; ++i) names.push_back(Name(static_cast<Kind>(i)));
  return names;
}

using Names = std::vector<std::string_view>;

// In the order of the numbers in files: who renumbers breaks all of them.
TEST(NamesTest, NumbersInFilesKeepTheirNames) {
  EXPECT_EQ(NamesUpTo<Stage>(5),
            (Names{"reserved", "planned", "coded", "committed", "unknown"}));
  EXPECT_EQ(
      NamesUpTo<Verdict>(9),
      (Names{"passed", "compile_failed", "crashed", "timed_out", "wrong_output",
             "rejected", "no_candidate", "inconclusive", "unknown"}));
  EXPECT_EQ(NamesUpTo<Breach>(11),
            (Names{"none", "wrote_input", "worked_late", "forged_answer",
                   "forged_time", "too_fast", "delegated", "hazard", "too_much",
                   "unusable", "unknown"}));
  EXPECT_EQ(NamesUpTo<Kinship>(8),
            (Names{"selected", "root", "child", "leader", "nephew", "sibling",
                   "mate", "unknown"}));
  EXPECT_EQ(NamesUpTo<Role>(4), (Names{"plan", "code", "debug", "unknown"}));
  EXPECT_EQ(NamesUpTo<SessionCallState>(4),
            (Names{"begun", "answered", "refused", "unknown"}));
  EXPECT_EQ(NamesUpTo<TicketState>(5),
            (Names{"open", "told", "given_up", "lost", "unknown"}));
  EXPECT_EQ(NamesUpTo<DirectiveOutcome>(4),
            (Names{"pending", "applied", "refused", "withdrawn"}));
}

TEST(NamesTest, AVerdictIsReadBackAndOtherWordsAreNone) {
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
    EXPECT_EQ(ParseVerdict(kVerdictNames[i]), static_cast<Verdict>(i));
  }
  for (const char* word : {"", "unknown", "Passed", "passed ", "failed"}) {
    EXPECT_EQ(ParseVerdict(word), std::nullopt) << word;
  }
}

TEST(NamesTest, NoNameStandsForTwo) {
  const auto are_unique = [](const auto& names) {
    return std::set<std::string_view>(names.begin(), names.end()).size() ==
           names.size();
  };
  EXPECT_TRUE(are_unique(NamesUpTo<DirectiveKind>(kDirectiveKinds)));
  EXPECT_TRUE(are_unique(kVerdictNames));
  EXPECT_TRUE(are_unique(kBreachNames));
  EXPECT_TRUE(are_unique(kLimitNames));
  EXPECT_TRUE(are_unique(kTechniqueFamilyNames));
  EXPECT_TRUE(are_unique(kResidencyLimitNames));
}

TEST(NamesTest, RolesAreReadBackInAnyOrder) {
  for (std::int64_t bits = 1; bits < 8; ++bits) {
    const Roles roles(bits);
    EXPECT_EQ(RolesNamed(NameOf(roles)), roles) << NameOf(roles);
  }
  EXPECT_EQ(NameOf(Roles::All()), "plan+code+debug");
  EXPECT_EQ(NameOf(Roles()), "");
  EXPECT_EQ(RolesNamed("debug,plan"),
            Roles().With(Role::kPlan).With(Role::kDebug));
  EXPECT_EQ(NameOf(RolesNamed("debug+code").value()), "code+debug");
}

// One of them twice says no more than once, so that it is a slip.
TEST(NamesTest, WhatIsNoListOfRolesIsNone) {
  for (const char* text : {"", "+", "plan+", "+plan", "plan,,code", "plan+plan",
                           "plan code", "Plan", "plan + code", "all"}) {
    EXPECT_EQ(RolesNamed(text), std::nullopt) << text;
  }
}

TEST(NamesTest, RolesHaveWhatTheyWereGiven) {
  const Roles roles = Roles().With(Role::kCode);
  EXPECT_TRUE(roles.Has(Role::kCode));
  EXPECT_FALSE(roles.Has(Role::kPlan));
  EXPECT_FALSE(roles.Has(Role::kDebug));
  EXPECT_EQ(roles.With(Role::kCode), roles);
  EXPECT_EQ(roles.bits(), 2);
}

TEST(NamesTest, ATicketsLeaseIsTellableFromAProcesss) {
  Ticket ticket;
  ticket.uuid = ParseUuid("017f22e2-79b0-7cc3-98c4-dc0c0c07398f").value();
  ticket.attempt = AttemptId{7};
  ticket.epoch = 3;
  EXPECT_EQ(ticket.LeaseOwner(), "ticket:017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
  EXPECT_EQ(ticket.AsHeld().attempt, AttemptId{7});
  EXPECT_EQ(ticket.AsHeld().epoch, 3);
}

TEST(NamesTest, WhatAWindowCutIsCountedByNodesAndNotByRuns) {
  Window window;
  EXPECT_EQ(window.NodesCut(), 0);
  window.cut = {{Kinship::kChild, NodeId{4}, NodeId{9}, 5},
                {Kinship::kSibling, NodeId{2}, NodeId{2}, 1}};
  EXPECT_EQ(window.NodesCut(), 6);
}

template <class Enum, std::size_t kCount>
void ExpectInverse(const NameTable<kCount>& names) {
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(NamedIn<Enum>(names, names[i]), static_cast<Enum>(i)) << names[i];
    EXPECT_EQ(NameIn(names, static_cast<Enum>(i)), names[i]);
  }
  EXPECT_EQ(NameIn(names, static_cast<Enum>(kCount)), "unknown");
  EXPECT_EQ(NameIn(names, static_cast<Enum>(255)), "unknown");
  for (const char* word : {"", " ", "Unknown", "?"}) {
    EXPECT_EQ(NamedIn<Enum>(names, word), std::nullopt) << word;
  }
}

TEST(NamesTest, ATableOfNamesIsReadInBothDirections) {
  ExpectInverse<Stage>(kStageNames);
  ExpectInverse<Role>(kRoleNames);
  ExpectInverse<Kinship>(kKinshipNames);
  ExpectInverse<TicketState>(kTicketStateNames);
  ExpectInverse<SessionCallState>(kSessionCallStateNames);
  ExpectInverse<Breach>(kBreachNames);
  ExpectInverse<TechniqueFamily>(kTechniqueFamilyNames);
  ExpectInverse<Language>(kLanguageWords);
}

TEST(NamesTest, ADirectivesKindAndOutcomeAreReadBack) {
  for (int i = 0; i < kDirectiveKinds; ++i) {
    const auto kind = static_cast<DirectiveKind>(i);
    EXPECT_EQ(DirectiveKindNamed(Name(kind)), kind);
  }
  for (int i = 0; i < 4; ++i) {
    const auto outcome = static_cast<DirectiveOutcome>(i);
    EXPECT_EQ(DirectiveOutcomeNamed(Name(outcome)), outcome);
  }
  EXPECT_EQ(Name(static_cast<DirectiveKind>(kDirectiveKinds)), "unknown");
  EXPECT_EQ(DirectiveKindNamed("unknown"), std::nullopt);
  EXPECT_EQ(DirectiveOutcomeNamed("applied "), std::nullopt);
  EXPECT_EQ(NamedIn<Limit>(kLimitNames, "unknown"), Limit::kUnknown);
}

}  // namespace
}  // namespace coppice
