#include "engine/campaign/status_messages.h"

#include <gtest/gtest.h>

#include <string>

#include "store/read/tried.h"

namespace coppice::engine {
namespace {

store::TriedNode Line(std::int64_t node, const std::string& technique) {
  return {NodeId{node}, technique};
}

// Node 1 leads, 2 is the only one that packs, and 3 to 40 tile.
store::Tried Forty() {
  store::Tried tried;
  tried.fastest = {Line(1, "jam")};
  for (std::int64_t node = 40; node > 2; --node) {
    tried.newest.push_back(Line(node, "tile(i, " + std::to_string(node) + ")"));
  }
  tried.newest.push_back(Line(2, "pack(A)"));
  tried.newest.push_back(Line(1, "jam"));
  return tried;
}

std::string Nodes(const std::vector<NodeId>& nodes) {
  std::string text;
  for (const NodeId node : nodes) text += std::to_string(Index(node)) + " ";
  return text;
}

TEST(StatusMessagesTest, TheFastestTheNewestAndEachTechniqueGoBeforeOthers) {
  EXPECT_EQ(Nodes(MostTelling(Forty(), {}, 12)),
            "1 40 39 38 37 36 35 34 33 2 32 31 ");
}

TEST(StatusMessagesTest, WhatIsKnownIsNotToldAgain) {
  EXPECT_EQ(Nodes(MostTelling(Forty(), {NodeId{1}, NodeId{39}}, 3)),
            "40 38 37 ");
}

TEST(StatusMessagesTest, AllAreToldWhereTheyAreFew) {
  EXPECT_EQ(MostTelling(Forty(), {}, 100).size(), 40u);
}

}  // namespace
}  // namespace coppice::engine
