#include "agents/answer.h"

#include <gtest/gtest.h>

namespace coppice::agents {
namespace {

constexpr const char* kPlanAnswer =
    "Technique: swap\n"
    "```\n"
    "// <<<IMPROVE BEGIN>>>\n"
    "a\n"
    "// <<<IMPROVE END>>>\n"
    "b\n"
    "```\n";

class AnswerTest : public testing::Test {
 protected:
  AnswerTest() {
    task_.root.language = Language::kCuda;
    task_.root.entry_symbol = "go";
    situation_.task = &task_;
    situation_.selected.source = "a\nb\n";
  }

  Task task_;
  Situation situation_;
};

TEST_F(AnswerTest, APlannerOwesAPlanOfTheSelectedSource) {
  situation_.role = Role::kPlan;
  const Product product = ReadAnswer(situation_, kPlanAnswer).value();
  EXPECT_EQ(std::get<Plan>(product).technique, "swap");
  EXPECT_TRUE(std::get<Plan>(product).grounded);
}

TEST_F(AnswerTest, ACoderOwesACandidateOfTheTasksKind) {
  situation_.role = Role::kCode;
  situation_.plan = std::get<Plan>([&] {
    Situation planning = situation_;
    planning.role = Role::kPlan;
    return ReadAnswer(planning, kPlanAnswer).value();
  }());
  const Product product = ReadAnswer(situation_, "```\nA\nB\n```\n").value();
  const auto& coded = std::get<CodedCandidate>(product);
  EXPECT_EQ(coded.candidate.language, Language::kCuda);
  EXPECT_EQ(coded.candidate.entry_symbol, "go");
  EXPECT_EQ(coded.candidate.source, "A\nB\n");
  EXPECT_EQ(coded.footprint.changed_inside, 1);
  EXPECT_EQ(coded.footprint.changed_outside, 1);
}

TEST_F(AnswerTest, ADebuggerWithoutAPlanLeavesNoFootprint) {
  situation_.role = Role::kDebug;
  const Product product = ReadAnswer(situation_, "```\nA\n```\n").value();
  EXPECT_EQ(std::get<CodedCandidate>(product).candidate.source, "A\n");
  EXPECT_EQ(std::get<CodedCandidate>(product).footprint.changed_outside, 0);
}

TEST_F(AnswerTest, EveryRoleCallsAnAnswerWithoutSourceCorrupt) {
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    situation_.role = role;
    const auto product = ReadAnswer(situation_, "I cannot.");
    ASSERT_FALSE(product);
    EXPECT_EQ(product.error().code, Errc::kCorrupt);
  }
}

}  // namespace
}  // namespace coppice::agents
