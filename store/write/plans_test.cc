#include "store/write/plans.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/connection.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

class PlansTest : public ::testing::Test {
 protected:
  PlanId Insert(const Plan& plan) {
    PlanId id{};
    Must(connection_.Write([&]() -> Result<void> {
      TRY_ASSIGN(id, InsertPlan(connection_, plan, std::nullopt));
      return {};
    }));
    return id;
  }
  static Plan Tiling() {
    Plan plan;
    plan.technique = "again + jam(j, 32) + parallel(i)";
    plan.advice = "Tile it.\nThen more: \xE5\xBF\xAB";
    plan.annotated_source = "// <<<IMPROVE BEGIN>>>\nfor (;;) {}\n";
    plan.anchors = 2;
    plan.grounded = true;
    return plan;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  Connection& connection_ = database_.connection();
};

TEST_F(PlansTest, WhatIsInsertedComesBack) {
  Plan bare;
  for (const Plan& each : {Tiling(), bare}) {
    const PlanId id = Insert(each);
    const Plan read =
        Must(connection_.Read([&] { return LoadPlan(connection_, id); }));
    EXPECT_EQ(read.technique, each.technique);
    EXPECT_EQ(read.advice, each.advice);
    EXPECT_EQ(read.annotated_source, each.annotated_source);
    EXPECT_EQ(read.anchors, each.anchors);
    EXPECT_EQ(read.grounded, each.grounded);
  }
}

// As questions in SQL ask for them.
TEST_F(PlansTest, ItsTechniquesAreInColumnsOfTheirOwn) {
  Insert(Tiling());
  Plan words = Tiling();
  words.technique = "make it fast (8 by 8) somehow";
  Insert(words);
  words.technique = "";
  Insert(words);
  EXPECT_EQ(Rows(database_,
                 "SELECT technique_name, technique_arguments"
                 " FROM plan ORDER BY plan_id"),
            (std::vector<std::string>{"again + jam + parallel|; j, 32; i",
                                      "make it fast (8 by 8) somehow|", "|"}));
}

TEST_F(PlansTest, AMissingPlanIsDamage) {
  const auto missing =
      connection_.Read([&] { return LoadPlan(connection_, PlanId{7}); });
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::kCorrupt);
  EXPECT_TRUE(missing.error().what.ends_with("plan 7 is missing"));
}

// A node's source is of its own campaign, and one without a candidate has none.
TEST_F(PlansTest, OnlyANodeWithACandidateHasASource) {
  PlantBeside(database_);
  const CampaignId campaign = Plant(database_, "a");
  const NodeId node = Grow(database_, campaign, kRootNode,
                           {.source = "mine",
                            .verdict = Verdict::kCrashed,
                            .runtime_s = std::nullopt});
  const auto source = [&](NodeId of) {
    std::string text = "none";
    Must(connection_.Read([&]() -> Result<void> {
      const auto blob = SourceOf(connection_, campaign, of);
      if (blob) TRY_ASSIGN(text, connection_.blobs().Text(*blob));
      return {};
    }));
    return text;
  };
  EXPECT_EQ(source(node), "mine");
  EXPECT_EQ(source(kRootNode), "root kernel");
  EXPECT_EQ(source(NodeId{9}), "none");
}

}  // namespace
}  // namespace coppice::store
