#include "engine/run/grid.h"

#include <gmock/gmock.h>

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

store::CampaignRow RowOf(const Cell& cell, const Budget& budget) {
  store::CampaignRow row;
  row.spec.name = CampaignName(cell, budget);
  row.spec.seed = cell.seed;
  row.spec.budget_attempts = 30;
  row.spec.settings = Marks(cell, budget);
  row.spec.settings.push_back({"agents", "team", "default"});
  return row;
}

TEST(GridTest, CellsComeSeedBySeed) {
  const auto cells = CellsOf({{"p", "q"}, {"t", "u"}, {1, 2}, {}});
  ASSERT_EQ(cells.size(), 8u);
  EXPECT_EQ(cells[0], (Cell{"p", "t", 1}));
  EXPECT_EQ(cells[1], (Cell{"q", "t", 1}));
  EXPECT_EQ(cells[2], (Cell{"p", "u", 1}));
  EXPECT_EQ(cells[4], (Cell{"p", "t", 2}));
}

TEST(GridTest, APolicyMayHaveTheCodeAgentAlone) {
  EXPECT_EQ(ContenderOf("stark").policy, "stark");
  EXPECT_FALSE(ContenderOf("stark").alone);
  EXPECT_EQ(ContenderOf("stark.alone").policy, "stark");
  EXPECT_TRUE(ContenderOf("stark.alone").alone);
}

TEST(GridTest, NamesSayWhatACampaignIs) {
  const Cell cell{"stark", "gemv", 3};
  EXPECT_EQ(CampaignName(cell, {BudgetKind::kAttempts, 30}),
            "compare.gemv.stark.s3");
  EXPECT_EQ(CampaignName(cell, {BudgetKind::kDollars, 0.5}),
            "compare.gemv.stark.s3.0.5_dollars");
  EXPECT_EQ(Describe(Budget{BudgetKind::kEvaluatorSeconds, 90}),
            "90 evaluator seconds");
  EXPECT_EQ(Describe(Budget{BudgetKind::kAttempts, 1}), "1 attempt");
  EXPECT_EQ(Describe(Budget{BudgetKind::kTokens, 2e6}), "2000000 tokens");
}

TEST(GridTest, MarksAreReadBack) {
  const Cell cell{"stark", "sim:hill/1", 3};
  const auto marked =
      ReadMarks(RowOf(cell, {BudgetKind::kTokens, 123456789.0}));
  ASSERT_TRUE(marked);
  EXPECT_EQ(marked->cell, cell);
  EXPECT_EQ(marked->budget.kind, BudgetKind::kTokens);
  EXPECT_EQ(marked->budget.amount, 123456789.0);
  EXPECT_FALSE(ReadMarks({}));
}

// Else who goes on by the file alone would choose by what is to judge.
TEST(GridTest, WhatIsHeldOutIsOfNoGrid) {
  const Cell held_out{"stark", "u", 1'000'000'001, true};
  const Budget budget{BudgetKind::kAttempts, 30};
  EXPECT_EQ(ReadMarks(RowOf(held_out, budget))->cell, held_out);
  const std::vector<store::CampaignRow> rows = {
      RowOf({"stark", "t", 1}, budget), RowOf(held_out, budget)};
  EXPECT_THAT(FindGrid(rows, std::nullopt)->tasks, ElementsAre("t"));
  Grid grid{{"p"}, {"t"}, {1}, budget, true};
  EXPECT_TRUE(CellsOf(grid).front().held_out);
}

TEST(GridTest, TheFileSaysWhatItsGridIs) {
  std::vector<store::CampaignRow> rows(1);  // It belongs to no comparison.
  rows.push_back(RowOf({"stark", "t", 1}, {BudgetKind::kAttempts, 30}));
  rows.push_back(RowOf({"greedy", "t", 2}, {BudgetKind::kAttempts, 30}));
  rows.back().spec.budget_attempts = 60;  // It was given more.
  rows.push_back(RowOf({"mcts", "u", 1}, {BudgetKind::kTokens, 1000}));
  const Grid grid = FindGrid(rows, std::nullopt).value();
  EXPECT_THAT(grid.policies, ElementsAre("stark", "greedy"));
  EXPECT_THAT(grid.tasks, ElementsAre("t"));
  EXPECT_THAT(grid.seeds, ElementsAre(1, 2));
  EXPECT_EQ(grid.budget.amount, 60);
  const Grid tokens = FindGrid(rows, BudgetKind::kTokens).value();
  EXPECT_THAT(tokens.policies, ElementsAre("mcts"));
  EXPECT_EQ(tokens.budget.amount, 1000);
}

TEST(GridTest, AFileWithoutAComparisonSaysSo) {
  EXPECT_EQ(FindGrid({{}}, std::nullopt).error().what, "holds no comparison");
  EXPECT_EQ(FindGrid({}, BudgetKind::kDollars).error().what,
            "holds no comparison by dollars");
}

TEST(GridTest, AnUnknownKindOfBudgetNamesThoseThereAre) {
  EXPECT_EQ(ParseBudgetKind("tokens").value(), BudgetKind::kTokens);
  EXPECT_EQ(ParseBudgetKind("euros").error().what,
            "budget kind 'euros' is none of attempts tokens dollars "
            "evaluator_seconds");
}

}  // namespace
}  // namespace coppice::engine
