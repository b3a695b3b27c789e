#include "search/lineage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

Lineage LineageOf(const Tree& tree) {
  Lineage lineage;
  for (std::int64_t i = 0; i < tree.Size(); ++i) lineage.Add(tree, NodeId{i});
  return lineage;
}

TEST(LineageTest, LogSpeedupIsAgainstTheRoot) {
  const Tree tree = BuildTree(
      "n0 10ms\n"
      "  n1 5ms\n"
      "  n2 20ms\n");
  EXPECT_DOUBLE_EQ(LogSpeedup(tree, NodeId{0}), 0.0);
  EXPECT_DOUBLE_EQ(LogSpeedup(tree, NodeId{1}), std::log(2.0));
  EXPECT_DOUBLE_EQ(LogSpeedup(tree, NodeId{2}), -std::log(2.0));
}

TEST(LineageTest, LogSpeedupOfATreeWithoutARuntimeAtItsRootIsOfASecond) {
  const Tree tree = BuildTree(
      "n0 failed\n"
      "  n1 10ms\n");
  EXPECT_DOUBLE_EQ(LogSpeedup(tree, NodeId{1}), std::log(100.0));
}

TEST(LineageTest, ARepairHasTheBaseOfWhatItRepairs) {
  const Lineage lineage =
      LineageOf(BuildTree("n0 10ms\n"
                          "  n1 8ms\n"
                          "    n2 failed\n"
                          "      n3 compile_failed\n"
                          "        n4 7ms\n"
                          "          n5 failed\n"));
  // n3 is the first repair of n2, n4 the second; n5 starts from n4 anew.
  const int repairs[] = {0, 0, 0, 1, 2, 0};
  const std::int64_t bases[] = {0, 0, 1, 1, 1, 4};
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(lineage.Of(NodeId{i}).repair, repairs[i]) << i;
    EXPECT_EQ(lineage.Of(NodeId{i}).base, NodeId{bases[i]}) << i;
    EXPECT_EQ(lineage.Of(NodeId{i}).branch, NodeId{i == 0 ? 0 : 1}) << i;
  }
}

TEST(LineageTest, AChildOfTheRootIsNoRepairEvenIfTheRootFails) {
  const Lineage lineage =
      LineageOf(BuildTree("n0 failed\n"
                          "  n1 8ms\n"));
  EXPECT_EQ(lineage.Of(NodeId{1}).repair, 0);
  EXPECT_EQ(lineage.Of(NodeId{1}).base, kRootNode);
  EXPECT_TRUE(lineage.Of(NodeId{1}).improves);
}

TEST(LineageTest, ToImproveIsToBeatTheBaseByMoreThanNoise) {
  // ln(8 / 7.95) = 0.006 is noise, ln(8 / 7.9) = 0.013 is not.  n5 repairs n4,
  // so n1 is its base: ln(8 / 7) = 0.13; it counts for n4, its parent.
  const Lineage lineage =
      LineageOf(BuildTree("n0 10ms\n"
                          "  n1 8ms\n"
                          "    n2 7.95ms\n"
                          "    n3 7.9ms\n"
                          "    n4 failed\n"
                          "      n5 7ms\n"));
  const bool improves[] = {false, true, false, true, false, true};
  const int children[] = {1, 1, 0, 0, 1, 0};
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(lineage.Of(NodeId{i}).improves, improves[i]) << i;
    EXPECT_EQ(lineage.Of(NodeId{i}).improving_children, children[i]) << i;
  }
}

}  // namespace
}  // namespace coppice::search
