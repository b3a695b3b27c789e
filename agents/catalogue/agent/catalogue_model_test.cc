#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"
#include "agents/catalogue/situations.h"
#include "agents/prompt/grounded_instructions.h"
#include "agents/provider/providers.h"
#include "store/records/attempt.h"

namespace coppice::agents::catalogue {
namespace {

TEST(CatalogueModelTest, AnswersInEveryRole) {
  const Task task = TaskOfSizes();
  PromptContext context =
      PromptContextOf(task, KernelOf("  for (int64_t i = 0; i < N; ++i) {\n"
                                     "    c[i] = std::tanh(a[i]);\n  }\n"));
  const auto model = MakeCatalogueModel();
  EXPECT_EQ(model->Provider(), "catalogue");
  ModelRequest request;
  request.context = &context;
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    request.role = role;
    const auto answer = model->Complete(request);
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->text.empty());
    EXPECT_EQ(answer->cost_usd, 0.0);
  }
}

// What is forbidden may be allowed again, or be allowed elsewhere in the tree.
TEST(CatalogueModelTest, WhereRulesLeaveNothingTheSearchIsNotAtItsEnd) {
  const Task task = TaskOfSizes();
  PromptContext context =
      PromptContextOf(task, KernelOf("  for (int64_t i = 0; i < N; ++i) {\n"
                                     "    c[i] = std::tanh(a[i]);\n  }\n"));
  context.is_known = [](const std::string&) { return true; };
  const auto model = MakeCatalogueModel();
  ModelRequest request;
  request.context = &context;
  EXPECT_EQ(model->Complete(request)->fault, kNothingLeft);
  context.wishes = {{1, "ana", "must not match x", true}};
  EXPECT_EQ(model->Complete(request)->fault,
            "nothing is left to propose that the rules of people allow");
}

// A plan and its code in one, with the draws that a team would make; repairs
// what failed.
TEST(CatalogueModelTest, AloneItAnswersWhatATeamWouldWrite) {
  const Task task = TaskOfSizes();
  PromptContext context =
      PromptContextOf(task, KernelOf("  for (int64_t i = 0; i < N; ++i) {\n"
                                     "    c[i] = std::tanh(a[i]);\n  }\n"));
  context.selected.verdict = Verdict::kPassed;
  const auto model = MakeCatalogueModel();
  ModelRequest request;
  request.context = &context;
  request.role = Role::kCode;
  const auto alone = model->Complete(request);
  ASSERT_TRUE(alone);
  request.role = Role::kPlan;
  const auto planned = model->Complete(request);
  ASSERT_TRUE(planned);
  context.plan =
      ParsePlanAnswer(planned->text, context.selected.source).value();
  request.role = Role::kCode;
  const auto coded = model->Complete(request);
  ASSERT_TRUE(coded);
  EXPECT_EQ(ParseCodeAnswer(alone->text).value(),
            ParseCodeAnswer(coded->text).value());

  context.plan.reset();
  context.selected.verdict = Verdict::kCrashed;
  const auto repaired = model->Complete(request);
  request.role = Role::kDebug;
  EXPECT_EQ(repaired->text, model->Complete(request)->text);
}

TEST(CatalogueModelTest, NeedsASituation) {
  const auto answer = MakeCatalogueModel()->Complete({});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::agents::catalogue
