#include "agents/catalogue/debug_agent.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"
#include "agents/catalogue/situations.h"

namespace coppice::agents::catalogue {
namespace {

const std::string kExp = KernelOf(
    "  for (int64_t i = 0; i < N; ++i) {\n"
    "    c[i] = std::exp(a[i]);\n"
    "  }\n");

// The root, changed by the technique, failed and is selected.
Situation Failed(const Task& task, const std::string& technique) {
  Situation situation = SituationOf(task, kExp);
  Sighting failed = Attempted(situation, technique, Verdict::kWrongOutput);
  failed.source = RewriteFile(kExp, technique, {2, {}, {}});
  failed.log = "y[3] is 1.25, expected 1.5\nmore";
  situation.plan = failed.plan;
  situation.selected = failed;
  return situation;
}

TEST(DebugAgentTest, FallsBackOnASaferForm) {
  const Task task = TaskOfSizes();
  EXPECT_EQ(AnswerDebug(Failed(task, "math(exp, rough)")),
            "`math(exp, rough)` ended as wrong_output (y[3] is 1.25, expected "
            "1.5). Keep the idea in a safer form: `math(exp)`.\n\n```cpp\n" +
                RewriteFile(kExp, "math(exp)") + "```\n");
}

TEST(DebugAgentTest, LeavesOutTheLastStepOfSeveral) {
  const Task task = TaskOfSizes();
  EXPECT_NE(AnswerDebug(Failed(task, "math(exp) + parallel(i)"))
                .find("safer form: `math(exp)`"),
            std::string::npos);
}

TEST(DebugAgentTest, WithdrawsWhatHasNoSaferForm) {
  const Task task = TaskOfSizes();
  const std::string answer = AnswerDebug(Failed(task, "parallel(i)"));
  EXPECT_NE(answer.find("Withdraw the change"), std::string::npos);
  EXPECT_NE(answer.find("```cpp\n" + kExp + "```\n"), std::string::npos);
}

TEST(DebugAgentTest, DoesNotRepeatASiblingsSource) {
  const Task task = TaskOfSizes();
  Situation situation = Failed(task, "math(exp, rough)");
  Sighting sibling;
  sibling.source = RewriteFile(kExp, "math(exp)");
  situation.history.push_back(sibling);
  EXPECT_NE(AnswerDebug(situation).find("Withdraw"), std::string::npos);
}

// The safer form of a technique that is forbidden by now is forbidden, too.
TEST(DebugAgentTest, ProposesNothingThatIsForbidden) {
  const Task task = TaskOfSizes();
  Situation situation = Failed(task, "math(exp, rough)");
  situation.wishes = {{1, "ana", "", true, "math", false}};
  EXPECT_NE(AnswerDebug(situation).find("Withdraw"), std::string::npos);
  situation = Failed(task, "math(exp) + parallel(i)");
  situation.breaks_rule = [](const std::string&) { return true; };
  EXPECT_EQ(AnswerDebug(situation).find("```"), std::string::npos);
}

TEST(DebugAgentTest, SaysWhenNothingIsLeft) {
  const Task task = TaskOfSizes();
  Situation situation = Failed(task, "parallel(i)");
  situation.selected.source = kExp;
  EXPECT_EQ(AnswerDebug(situation).find("```"), std::string::npos);
  situation.plan.reset();
  situation.selected.plan.reset();
  EXPECT_EQ(AnswerDebug(situation),
            "The kernel failed and no plan says what was meant.\n");
}

}  // namespace
}  // namespace coppice::agents::catalogue
