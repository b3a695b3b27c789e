#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"
#include "agents/catalogue/situations.h"
#include "agents/providers.h"

namespace coppice::agents::catalogue {
namespace {

TEST(CatalogueModelTest, AnswersInEveryRole) {
  const Task task = TaskOfSizes();
  Situation situation =
      SituationOf(task, KernelOf("  for (int64_t i = 0; i < N; ++i) {\n"
                                 "    c[i] = std::tanh(a[i]);\n  }\n"));
  const auto model = MakeCatalogueModel();
  EXPECT_EQ(model->Provider(), "catalogue");
  ModelRequest request;
  request.situation = &situation;
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    request.role = role;
    const auto answer = model->Complete(request);
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->text.empty());
    EXPECT_EQ(answer->cost_usd, 0.0);
  }
}

TEST(CatalogueModelTest, NeedsASituation) {
  const auto answer = MakeCatalogueModel()->Complete({});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::agents::catalogue
