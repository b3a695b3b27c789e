#include "agents/catalogue/agent/code_agent.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"
#include "agents/catalogue/situations.h"

namespace coppice::agents::catalogue {
namespace {

const std::string kCopy = KernelOf(
    "  for (int64_t i = 0; i < N; ++i) {\n"
    "    c[i] = a[i];\n"
    "  }\n");

std::string AnswerTo(const std::string& technique) {
  const Task task = TaskOfSizes();
  PromptContext context = PromptContextOf(task, kCopy);
  context.plan = Attempted(context, technique, Verdict::kPassed).plan;
  return AnswerCode(context);
}

TEST(CodeAgentTest, RewritesTheMarkedSpan) {
  EXPECT_EQ(AnswerTo("simd(i)"),
            "Applied `simd(i)` to the marked span.\n\n```cpp\n" +
                RewriteFile(kCopy, "simd(i)") + "```\n");
}

TEST(CodeAgentTest, SaysInWordsWhatCannotBeDone) {
  EXPECT_EQ(AnswerTo("scan(i)"),
            "The plan `scan(i)` cannot be carried out: scan(i): the loop is "
            "no running sum.\n");
  EXPECT_EQ(AnswerTo("think harder").find("```"), std::string::npos);
  const Task task = TaskOfSizes();
  PromptContext context = PromptContextOf(task, kCopy);
  EXPECT_EQ(AnswerCode(context), "There is no plan to carry out.\n");
  context.plan = Plan{"words", "simd(i)", kCopy, 0, false};
  EXPECT_EQ(AnswerCode(context), "The plan marks no span to change.\n");
}

}  // namespace
}  // namespace coppice::agents::catalogue
