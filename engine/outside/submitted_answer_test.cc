#include "engine/outside/submitted_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "engine/outside/told.h"
#include "store/records/directive.h"
#include "store/records/task.h"

namespace coppice::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SubmittedAnswerTest : public ::testing::Test {
 protected:
  SubmittedAnswerTest() {
    task_.root.language = Language::kCpp;
    task_.root.entry_symbol = "run";
  }

  // To a ticket whose agent `role` is to answer.
  Result<Understood> Tell(const Told& told, Role role = Role::kCode,
                          Roles roles = Roles::All()) const {
    return Understand(told, {.task = task_,
                             .parent_source = parent_source_,
                             .grounding = agents::Grounding::kUsed,
                             .role = role,
                             .roles = roles});
  }
  std::string Complaint(const Told& told, Role role = Role::kCode,
                        Roles roles = Roles::All()) const {
    const auto understood = Tell(told, role, roles);
    EXPECT_FALSE(understood);
    if (understood) return "";
    EXPECT_EQ(understood.error().code, Errc::kUsage);
    return understood.error().what;
  }

  Task task_;
  const std::string parent_source_ = "int x = 1;\n";
};

TEST_F(SubmittedAnswerTest, ASourceIsACandidateLikeTheRoot) {
  const auto told = Tell({.source = "int x = 2;\n"});
  ASSERT_TRUE(told && told->candidate);
  EXPECT_EQ(told->candidate->source, "int x = 2;\n");
  EXPECT_EQ(told->candidate->language, Language::kCpp);
  EXPECT_EQ(told->candidate->entry_symbol, "run");
  EXPECT_FALSE(told->plan);
}

// As a model answers, with words around it; a bare source is taken as it is.
TEST_F(SubmittedAnswerTest, ASourceMayBeAnAnswerThatBeginsWithABlock) {
  const auto told = Tell({.source = "```cpp\nint x = 3;\n```\nIt is fast."});
  ASSERT_TRUE(told && told->candidate);
  EXPECT_EQ(told->candidate->source, "int x = 3;\n");
  EXPECT_THAT(Complaint({.source = "```cpp\nint x = 3;\n"}),
              StartsWith("source: "));
}

TEST_F(SubmittedAnswerTest, SomethingIsToldAndNothingThatExcludesItself) {
  EXPECT_EQ(Complaint({}),
            "nothing is told: give a plan, a source, or the reason why there "
            "is none");
  EXPECT_EQ(Complaint({.source = "int x;", .none_reason = "no idea"}),
            "a source and a reason why there is none exclude each other");
  const auto none = Tell({.none_reason = "no idea"});
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->candidate);
}

TEST_F(SubmittedAnswerTest, EachPartIsToldInItsTurn) {
  EXPECT_EQ(Complaint({.plan = "Tile."}),
            "a plan is told where the code agent is to answer");
  EXPECT_EQ(Complaint({.plan = "Tile."}, Role::kDebug),
            "a plan is told where the debug agent is to answer");
  EXPECT_EQ(Complaint({.source = "int x;"}, Role::kPlan),
            "a plan comes before the source, or with it");
  EXPECT_THAT(
      Complaint({.source = "int x;"}, Role::kPlan, Roles().With(Role::kPlan)),
      HasSubstr("the ticket is for plan alone, and takes no source"));
}

TEST_F(SubmittedAnswerTest, ATextIsSomeAndNotTooMuch) {
  EXPECT_EQ(Complaint({.none_reason = " \n"}), "none_reason is empty");
  EXPECT_EQ(Complaint({.source = std::string("int\0x;", 6)}),
            "source holds a zero byte");
  EXPECT_EQ(Complaint({.source = std::string(kMostOfATold_bytes + 1, 'x')}),
            "source has 262145 bytes, more than 262144");
  EXPECT_TRUE(Tell({.source = std::string(kMostOfATold_bytes, 'x')}));
}

TEST_F(SubmittedAnswerTest, AClaimIsAnAmount) {
  Told told{.source = "int x;"};
  told.use.usage.output_tokens = -1;
  told.use.cost_usd = std::nan("");
  EXPECT_EQ(Complaint(told),
            "usage: expected 0 to 1000000000000 tokens; usage: cost_usd is no "
            "amount of money");
  EXPECT_TRUE(IsMoney(0.0));
  EXPECT_TRUE(IsMoney(1e9));
  EXPECT_FALSE(IsMoney(-0.01));
  EXPECT_FALSE(IsMoney(std::numeric_limits<double>::infinity()));
}

TEST_F(SubmittedAnswerTest, ASourceIsInTheTasksLanguage) {
  EXPECT_EQ(Complaint({.source = "int x;", .language = "cuda"}),
            "source: is in cuda, and the task is in cpp");
  EXPECT_TRUE(Tell({.source = "int x;", .language = "cpp"}));
}

TEST_F(SubmittedAnswerTest, APersonsRuleHoldsForWhoIsOutside) {
  Directive rule;
  rule.kind = DirectiveKind::kForbid;
  rule.aspect = std::string(kPatternAspect);
  rule.text = "goto";
  const auto told =
      Understand({.source = "goto x;"}, {.task = task_,
                                         .parent_source = parent_source_,
                                         .rules = {&rule},
                                         .role = Role::kCode});
  ASSERT_FALSE(told);
  EXPECT_THAT(told.error().what, StartsWith("source: "));
  EXPECT_THAT(told.error().what, HasSubstr("goto"));
}

// What is told again must be the same: by its parts, and not by their sum.
TEST(ToldTest, DigestsTellWhatWasToldApart) {
  const Told source{.source = "a"};
  const Told none{.none_reason = "a"};
  EXPECT_EQ(source.EndDigest(), Told{.source = "a"}.EndDigest());
  EXPECT_NE(source.EndDigest(), none.EndDigest());
  EXPECT_NE(source.EndDigest(), Told{.source = "b"}.EndDigest());
  EXPECT_EQ(source.EndDigest().size(), 32U);
  const Told both{.plan = "p", .source = "a"};
  EXPECT_EQ(both.EndDigest(), source.EndDigest());
  EXPECT_NE(both.PlanDigest(), source.PlanDigest());
}

TEST(CheckLeaseTest, ALeaseIsADayAtMost) {
  EXPECT_TRUE(CheckLease(1e-9));
  EXPECT_TRUE(CheckLease(86400.0));
  for (const double lease_s : {0.0, -1.0, 86400.1, std::nan("")}) {
    EXPECT_EQ(CheckLease(lease_s).error().what,
              "lease: expected more than 0 and at most 86400 seconds; renew "
              "the ticket where an attempt takes longer");
  }
}

// So that an agent can mend all of it at once.
TEST_F(SubmittedAnswerTest, AllThatIsWrongIsToldInOneLine) {
  Told told{.plan = " ",
            .source = std::string("goto\0x;", 8),
            .none_reason = "",
            .language = "rust"};
  told.use.usage.input_tokens = kMostOfAClaim_tokens + 1;
  told.use.cost_usd = -1.0;
  const std::string complaint = Complaint(told);
  for (const char* part :
       {"a source and a reason why there is none exclude each other",
        "a plan is told where the code agent is to answer", "plan is empty",
        "source holds a zero byte", "none_reason is empty",
        "usage: expected 0 to 1000000000000 tokens",
        "usage: cost_usd is no amount of money",
        "source: is in rust, and the task is in cpp"}) {
    EXPECT_THAT(complaint, HasSubstr(part));
  }
  EXPECT_EQ(complaint.find('\n'), std::string::npos);
}

TEST_F(SubmittedAnswerTest, ATextOfBlanksIsNone) {
  for (const char* text : {"", " ", "\n", "\t\r\n "}) {
    EXPECT_THAT(Complaint({.source = text}), HasSubstr("source is empty"));
    EXPECT_THAT(Complaint({.plan = text}, Role::kPlan),
                HasSubstr("plan is empty"));
  }
}

// A claim of nothing is none, and the largest is one.
TEST_F(SubmittedAnswerTest, AClaimMayBeAsLargeAsItsLimit) {
  Told told{.source = "int x;"};
  EXPECT_FALSE(told.use.IsAnything());
  told.use.cost_usd = 0.0;
  EXPECT_FALSE(told.use.IsAnything());
  told.use.usage.output_tokens = kMostOfAClaim_tokens;
  told.use.cost_usd = 1e9;
  EXPECT_TRUE(told.use.IsAnything());
  EXPECT_TRUE(Tell(told));
  for (const double usd : {1e9 + 1.0, -1e-9, std::nan(""),
                           -std::numeric_limits<double>::infinity()}) {
    told.use.cost_usd = usd;
    EXPECT_THAT(Complaint(told), HasSubstr("is no amount of money"));
  }
}

// What people forbid of plans is not asked of sources, nor the other way round.
TEST_F(SubmittedAnswerTest, APlanAndItsSourceHaveRulesOfTheirOwn) {
  Directive technique;
  technique.kind = DirectiveKind::kForbid;
  technique.aspect = std::string(kTechniqueAspect);
  technique.text = "tile";
  Directive header;
  header.kind = DirectiveKind::kForbid;
  header.aspect = std::string(kHeaderAspect);
  header.text = "mma.h";
  const auto understand = [&](const std::string& source) {
    return Understand({.source = source}, {.task = task_,
                                           .parent_source = parent_source_,
                                           .rules = {&technique, &header},
                                           .role = Role::kCode});
  };
  EXPECT_TRUE(understand("// tile\nint tile;\n"));
  const auto broken = understand("#include <mma.h>\n");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().what, HasSubstr("must not include mma.h"));
}

}  // namespace
}  // namespace coppice::engine
