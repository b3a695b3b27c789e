#include "store/failing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;

// 1 passes, 2 crashes, 3 is 2 again, 4 is undecided, 5 does not compile.
TEST(FailingTest, NodesThatFailedComeWithTheirLogs) {
  const ScratchDirectory directory;
  Database database = NewFile(directory.File("x.db"));
  const CampaignId campaign = Plant(database, "a");
  Grow(database, campaign, kRootNode);
  Grow(database, campaign, kRootNode,
       {.source = "bad", .verdict = Verdict::kCrashed, .technique = "jam"});
  Grow(database, campaign, kRootNode,
       {.source = "bad", .verdict = Verdict::kCrashed});
  Grow(database, campaign, kRootNode, {.verdict = Verdict::kInconclusive});
  Grow(database, campaign, kRootNode, {.verdict = Verdict::kCompileFailed});
  std::vector<std::string> seen;
  const auto note = [&](const Failing& failing) {
    seen.push_back(std::to_string(Index(failing.node)) + " " +
                   std::string(Name(failing.verdict)) + " " +
                   failing.technique);
    EXPECT_EQ(failing.log, EvaluationOf(failing.verdict, {}).log);
  };
  EXPECT_EQ(Must(ScanFailing(database, campaign, 10, note)), 3);
  EXPECT_THAT(seen, ElementsAre("2 crashed jam", "3 crashed tile",
                                "5 compile_failed tile"));
  seen.clear();
  EXPECT_EQ(Must(ScanFailing(database, campaign, 1, note)), 3);
  EXPECT_THAT(seen, ElementsAre("2 crashed jam"));
}

}  // namespace
}  // namespace coppice::store
