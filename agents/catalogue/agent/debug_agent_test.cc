#include "agents/catalogue/agent/debug_agent.h"

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
PromptContext Failed(const Task& task, const std::string& technique) {
  PromptContext context = PromptContextOf(task, kExp);
  Sighting failed = Attempted(context, technique, Verdict::kWrongOutput);
  failed.source = RewriteFile(kExp, technique, {2, {}, {}});
  failed.log = "y[3] is 1.25, expected 1.5\nmore";
  context.plan = failed.plan;
  context.selected = failed;
  return context;
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
  PromptContext context = Failed(task, "math(exp, rough)");
  Sighting sibling;
  sibling.source = RewriteFile(kExp, "math(exp)");
  context.history.push_back(sibling);
  EXPECT_NE(AnswerDebug(context).find("Withdraw"), std::string::npos);
}

// The safer form of a technique that is forbidden by now is forbidden, too.
TEST(DebugAgentTest, ProposesNothingThatIsForbidden) {
  const Task task = TaskOfSizes();
  PromptContext context = Failed(task, "math(exp, rough)");
  context.wishes = {{1, "ana", "", true, "math", false}};
  EXPECT_NE(AnswerDebug(context).find("Withdraw"), std::string::npos);
  context = Failed(task, "math(exp) + parallel(i)");
  context.breaks_rule = [](const std::string&) { return true; };
  EXPECT_EQ(AnswerDebug(context).find("```"), std::string::npos);
}

TEST(DebugAgentTest, SaysWhenNothingIsLeft) {
  const Task task = TaskOfSizes();
  PromptContext context = Failed(task, "parallel(i)");
  context.selected.source = kExp;
  EXPECT_EQ(AnswerDebug(context).find("```"), std::string::npos);
  context.plan.reset();
  context.selected.plan.reset();
  EXPECT_EQ(AnswerDebug(context),
            "The kernel failed and no plan says what was meant.\n");
}

}  // namespace
}  // namespace coppice::agents::catalogue
