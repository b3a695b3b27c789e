#include "store/leaders.h"

#include <gtest/gtest.h>

#include <map>

#include "store/connection.h"
#include "store/records/random.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

// "2@5s1": node 2, runtime 5, source 1.
std::string Shown(const std::vector<Leader>& leaders) {
  std::string text;
  for (const Leader& leader : leaders) {
    text += (text.empty() ? "" : " ") + std::to_string(Index(leader.node)) +
            "@" + std::to_string(static_cast<int>(leader.runtime_s)) + "s" +
            std::to_string(static_cast<int>(leader.source));
  }
  return text;
}

Leader Of(int node, double runtime_s, int source) {
  return {NodeId{node}, runtime_s, BlobId{source}};
}

TEST(LeadersTest, TheFasterComesFirst) {
  std::vector<Leader> leaders;
  leaders = WithLeader(leaders, Of(0, 5, 0));
  leaders = WithLeader(leaders, Of(1, 7, 1));
  leaders = WithLeader(leaders, Of(2, 3, 2));
  EXPECT_EQ(Shown(leaders), "2@3s2 0@5s0 1@7s1");
}

TEST(LeadersTest, OfEqualRuntimesTheOlderComesFirst) {
  EXPECT_EQ(Shown(WithLeader({Of(0, 5, 0)}, Of(1, 5, 1))), "0@5s0 1@5s1");
}

TEST(LeadersTest, OfEqualSourcesTheFasterStays) {
  const std::vector<Leader> leaders = {Of(0, 5, 0), Of(1, 7, 1)};
  EXPECT_EQ(Shown(WithLeader(leaders, Of(2, 6, 1))), "0@5s0 2@6s1");
  EXPECT_EQ(Shown(WithLeader(leaders, Of(2, 4, 1))), "2@4s1 0@5s0");
  EXPECT_EQ(Shown(WithLeader(leaders, Of(2, 7, 1))), "0@5s0 1@7s1");
  EXPECT_EQ(Shown(WithLeader(leaders, Of(2, 9, 1))), "0@5s0 1@7s1");
}

TEST(LeadersTest, ThereAreTenAtMost) {
  std::vector<Leader> leaders;
  for (int i = 0; i < 15; ++i) leaders = WithLeader(leaders, Of(i, 20 - i, i));
  EXPECT_EQ(leaders.size(), 10u);
  EXPECT_EQ(leaders.front().node, NodeId{14});
  EXPECT_EQ(leaders.back().node, NodeId{5});
}

// Whatever is committed in whatever order, the cache is what a computation
// from all nodes gives.  Few runtimes and sources, so that ties abound.
TEST(LeadersTest, TheCacheIsAlwaysWhatTheNodesSay) {
  ScratchDirectory directory;
  Database database = NewFile(directory.File("x.db"));
  const CampaignId campaign = Plant(database, "a");
  RandomStream random(3, Purpose::kSimulation, 0);
  for (int i = 0; i < 60; ++i) {
    Outcome outcome;
    outcome.source = "source " + std::to_string(random.Below(25));
    outcome.runtime_s = 1.0 + static_cast<double>(random.Below(12));
    if (random.Below(4) == 0) outcome.verdict = Verdict::kCrashed;
    Grow(database, campaign, NodeId{0}, outcome);
    std::vector<NodeId> cached;
    const auto read = database.connection().Read([&]() -> Result<void> {
      for (const Leader& leader :
           LoadLeaders(database.connection(), campaign)) {
        cached.push_back(leader.node);
      }
      EXPECT_EQ(cached, ComputeLeaders(database.connection(), campaign));
      return {};
    });
    EXPECT_TRUE(read.has_value());
  }
}

}  // namespace
}  // namespace coppice::store
