#include "engine/campaign/node_behaviour.h"

#include <gtest/gtest.h>

#include <string>

#include "store/records/node.h"

namespace coppice::engine {
namespace {

// A point of a landscape, of which `part` was changed.
std::string Point(const std::string& part) {
  return "sim hill/1\n"
         "# A point of a simulated landscape, see docs/landscapes.md.\n"
         "root_runtime_s 0.01\n"
         "key 00f3a1c02b7d9e44\n"
         "depth 2\n"
         "log_speedup 0.31\n"
         "ceiling 0.92\n"
         "progress 0\n"
         "basin_start -0.2\n"
         "genome 18446744073709551615\n"
         "at_best passed\n" +
         part + "measured 0.304\n";
}

TechniqueFamily FamilyWith(const std::string& technique, Language language,
                           const std::string& source) {
  NodeRecord node;
  node.plan.emplace().technique = technique;
  node.candidate = Candidate{language, source, "run"};
  return BehaviourOf(node).family;
}

TEST(NodeBehaviourTest, APlanTellsTheFamilyOfAKernel) {
  EXPECT_EQ(FamilyWith("tile(i, 8)", Language::kCpp, "int x;"),
            TechniqueFamily::kLoops);
  EXPECT_EQ(FamilyWith("", Language::kCpp, "int x;"), TechniqueFamily::kOther);
  // A source of another language is no point, whatever it says.
  EXPECT_EQ(FamilyWith("tile(i, 8)", Language::kCpp, Point("part 2\n")),
            TechniqueFamily::kLoops);
}

// Parts stand for the families in turn: 2 for the second, fusion.
TEST(NodeBehaviourTest, APointTellsItsOwn) {
  EXPECT_EQ(FamilyWith("tile(i, 8)", Language::kSim, Point("part 2\n")),
            TechniqueFamily::kFusion);
  EXPECT_EQ(FamilyWith("tile(i, 8)", Language::kSim, Point("")),
            TechniqueFamily::kOther);
  EXPECT_EQ(FamilyWith("tile(i, 8)", Language::kSim, "no point"),
            TechniqueFamily::kLoops);
}

TEST(NodeBehaviourTest, NothingIsKnownOfANodeWithoutPlanAndCandidate) {
  EXPECT_EQ(BehaviourOf(NodeRecord{}), Behaviour{});
}

}  // namespace
}  // namespace coppice::engine
