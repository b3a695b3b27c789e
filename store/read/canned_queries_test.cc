#include "store/read/canned_queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CannedQueriesTest : public ::testing::Test {
 protected:
  // Node 1 is twice as fast as the root, node 2 four times; 3 does not compile.
  CannedQueriesTest() {
    Grow(database_, campaign_, kRootNode,
         {.source = "tiled", .runtime_s = 2.0});
    Grow(database_, campaign_, NodeId{1}, {.runtime_s = 1.0});
    Grow(database_, campaign_, kRootNode,
         {.verdict = Verdict::kCompileFailed,
          .runtime_s = std::nullopt,
          .technique = "unroll"});
  }

  Sheet At(Lookup lookup, std::int64_t n, const std::string& text = "") {
    return Must(Look(database_, lookup,
                     {{":campaign", "a"},
                      {":n", n},
                      {":d", n},
                      {":role", ""},
                      {":text", text}}));
  }

  static const CannedQuestion& Named(std::string_view name) {
    return *std::ranges::find(CannedQuestions(), name, &CannedQuestion::name);
  }

  Sheet Ask(std::string_view name, std::int64_t n = 0, std::int64_t m = 0) {
    return Must(AskCanned(database_, Named(name),
                          {{":campaign", "a"}, {":n", n}, {":m", m}}));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

std::int64_t Whole(const Value& value) { return std::get<std::int64_t>(value); }

std::string Text(const Value& value) { return std::get<std::string>(value); }

TEST_F(CannedQueriesTest, EachLookupRunsOnTheViews) {
  for (int lookup = 0; lookup <= static_cast<int>(Lookup::kHasDecision);
       ++lookup) {
    EXPECT_FALSE(At(static_cast<Lookup>(lookup), 1, "tile").columns.empty())
        << lookup;
  }
}

TEST_F(CannedQueriesTest, ANodeIsFoundWithItsTexts) {
  const Sheet node = At(Lookup::kNode, 2);
  ASSERT_EQ(node.rows.size(), 1u);
  EXPECT_EQ(Whole(node.rows[0][2]), 2);
  EXPECT_EQ(Text(At(Lookup::kSource, 1).rows[0][0]), "tiled");
  EXPECT_EQ(At(Lookup::kHasNode, 3).rows.size(), 1u);
  EXPECT_EQ(At(Lookup::kHasNode, 4).rows.size(), 0u);
  EXPECT_EQ(At(Lookup::kHasDecision, 3).rows.size(), 0u);  // They are 0, 1, 2.
}

TEST_F(CannedQueriesTest, ASearchSaysWhereItFound) {
  const Sheet found = At(Lookup::kSearch, 0, "TILED");
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(Whole(found.rows[0][0]), 1);
  EXPECT_EQ(Text(found.rows[0][4]), "source");
}

TEST_F(CannedQueriesTest, EachCannedQuestionRunsAndHasAName) {
  std::set<std::string_view> names;
  for (const CannedQuestion& canned : CannedQuestions()) {
    EXPECT_FALSE(Ask(canned.name, 1, 2).columns.empty()) << canned.name;
    EXPECT_TRUE(names.insert(canned.name).second);
    // What it needs stands in the question, as N and M.
    const bool has_n = canned.question.find(" N") != std::string_view::npos;
    const bool has_m = canned.question.find(" M") != std::string_view::npos;
    EXPECT_EQ(canned.numbers, static_cast<int>(has_n) + has_m) << canned.name;
  }
}

TEST_F(CannedQueriesTest, CannedQuestionsAreAnsweredRight) {
  EXPECT_EQ(Text(Ask("why_failed", 3).rows[0][2]), "compile_failed");
  EXPECT_EQ(Whole(Ask("failures").rows[0][1]), 1);
  // One round tells nothing of its spread.
  EXPECT_THAT(Text(Ask("which_faster", 2, 1).rows[0][5]),
              HasSubstr("cannot tell"));
  EXPECT_DOUBLE_EQ(std::get<double>(Ask("which_faster", 2, 1).rows[0][2]), 2.0);
  const Sheet best = Ask("best");
  EXPECT_EQ(Whole(best.rows[0][1]), 2);
  EXPECT_DOUBLE_EQ(std::get<double>(best.rows[0][2]), 4.0);
  const Sheet steps = Ask("how_got_there", 2);
  ASSERT_EQ(steps.rows.size(), 3u);  // The root, 1, 2.
  EXPECT_EQ(Whole(steps.rows[1][1]), 1);
  // Twice tile, with effects 2 and 2; once unroll, with none.
  const Sheet tried = Ask("tried_most");
  ASSERT_EQ(tried.rows.size(), 2u);
  EXPECT_EQ(Text(tried.rows[0][0]), "tile");
  EXPECT_EQ(Whole(tried.rows[0][1]), 2);
  EXPECT_NEAR(std::get<double>(tried.rows[0][3]), 2.0, 1e-12);
  EXPECT_EQ(Ask("refuted").rows.size(), 0u);
}

}  // namespace
}  // namespace coppice::store
