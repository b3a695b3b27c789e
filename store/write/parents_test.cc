#include "store/write/parents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "store/read/history.h"
#include "store/read/relatives.h"
#include "store/read/snapshot.h"
#include "store/read/trajectories.h"
#include "store/records/node_summary.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::HasSubstr;

// Whatever follows parents in a file.
using Readers = std::map<std::string, std::function<Result<void>(Database&)>>;

constexpr CampaignId kFirst{1};

template <class T>
Result<void> Done(const Result<T>& result) {
  if (!result) return tl::unexpected<Error>(result.error());
  return {};
}

Result<void> AskRelatives(Database& database,
                          const std::function<void(const FamilyTree&)>& ask) {
  return WithRelatives(database, kFirst,
                       [&](const FamilyTree& tree) -> Result<void> {
                         ask(tree);
                         return {};
                       });
}

const Readers kReaders = {
    {"snapshot",
     [](Database& file) {
       return Done(ReadSnapshot(file, kFirst, [](const NodeSummary&) {}));
     }},
    {"growth",
     [](Database& file) { return Done(ReadGrowth(file, kFirst, 0, 0)); }},
    {"annals", [](Database& file) { return Done(ReadAnnals(file, kFirst)); }},
    {"tree", [](Database& file) { return Done(ReadTree(file, kFirst)); }},
    {"limited tree",
     [](Database& file) {
       return Done(ReadTree(file, kFirst,
                            {.depth = {}, .limit = 2, .way_to = NodeId{3}}));
     }},
    {"lineage",
     [](Database& file) { return Done(ReadLineage(file, kFirst, NodeId{3})); }},
    {"leaders",
     [](Database& file) {
       return AskRelatives(
           file, [](const FamilyTree& tree) { tree.Leaders(NodeId{1}, 4); });
     }},
    {"leaders on the board",
     [](Database& file) {
       return AskRelatives(file, [](const FamilyTree& tree) {
         tree.LeadersAmong(NodeId{1}, 4);
       });
     }},
    {"trajectories",
     [](Database& file) {
       return Done(ScanTrajectories(file, kFirst,
                                    [](const Trajectory&) { return true; }));
     }},
};

// A campaign whose nodes 1, 2, 3 and 4 are a chain.
class ParentsTest : public ::testing::Test {
 protected:
  ParentsTest() {
    Database database = NewFile(path_);
    const CampaignId campaign = Plant(database, "a");
    for (int i = 0; i < 4; ++i) {
      Grow(database, campaign, NodeId{i}, {.runtime_s = 3.0 - 0.5 * i});
    }
  }
  // What each of the readers says.
  void ExpectDamage(const std::string& sql, const std::string& what) {
    Damage(path_, sql);
    Database database = Must(Database::Open(path_, Access::kReadOnly));
    for (const auto& [name, read] : kReaders) {
      const Result<void> result = read(database);
      ASSERT_FALSE(result.has_value()) << name;
      EXPECT_EQ(result.error().code, Errc::kCorrupt) << name;
      EXPECT_THAT(result.error().what, HasSubstr(what)) << name;
    }
  }

  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
};

TEST_F(ParentsTest, EveryReaderFollowsSoundOnes) {
  Database database = Must(Database::Open(path_, Access::kReadOnly));
  for (const auto& [name, read] : kReaders) {
    EXPECT_TRUE(read(database).has_value()) << name;
  }
}

TEST_F(ParentsTest, NobodyFollowsACycle) {
  ExpectDamage("UPDATE node SET parent_number = 3 WHERE number = 2",
               "node 2 has parent 3, which is no lower number");
}

TEST_F(ParentsTest, NobodyFollowsANodeToItself) {
  ExpectDamage("UPDATE node SET parent_number = 3 WHERE number = 3",
               "node 3 has parent 3, which is no lower number");
}

TEST_F(ParentsTest, NobodyTakesAnotherNodeForTheRoot) {
  ExpectDamage("UPDATE node SET parent_number = NULL WHERE number = 3",
               "node 3 has no parent");
  ExpectDamage("UPDATE node SET parent_number = -1 WHERE number = 3",
               "node 3 has parent -1, which is no lower number");
}

}  // namespace
}  // namespace coppice::store
