#include "store/read/schema_guide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SchemaGuideTest : public ::testing::Test {
 protected:
  const GuidedView& View(const std::string& name) const {
    const auto found = std::ranges::find(guide_, name, &GuidedView::name);
    if (found == guide_.end()) throw std::runtime_error("no view " + name);
    return *found;
  }
  static std::string CommentOf(const GuidedView& view,
                               const std::string& column) {
    const auto found =
        std::ranges::find(view.columns, column, &GuidedColumn::name);
    return found == view.columns.end() ? "no column" : found->comment;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  std::vector<GuidedView> guide_ = Must(ReadSchemaGuide(database_));
};

TEST_F(SchemaGuideTest, EveryViewHasACommentAndColumns) {
  EXPECT_GT(guide_.size(), 30U);
  for (const GuidedView& view : guide_) {
    EXPECT_FALSE(view.comment.empty()) << view.name;
    EXPECT_FALSE(view.columns.empty()) << view.name;
  }
}

TEST_F(SchemaGuideTest, AColumnHasTheCommentOfItsLine) {
  EXPECT_EQ(View("nodes").comment, "One row per node.");
  EXPECT_EQ(CommentOf(View("nodes"), "speedup_low"), "NULL unless passed");
  EXPECT_THAT(CommentOf(View("nodes"), "same_as"),
              StartsWith("the node of equal tokens that was judged in its "
                         "place"));
  EXPECT_THAT(CommentOf(View("leaderboard"), "confirmed"),
              HasSubstr("full tier"));
}

}  // namespace
}  // namespace coppice::store
