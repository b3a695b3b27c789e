#include "engine/assistant/citations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::assistant {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "n 4 9 in gemv", one for each.
std::vector<std::string> Found(std::string_view text) {
  std::vector<std::string> found;
  for (const Citation& citation : FindCitations(text)) {
    if (citation.what == Cited::kNothing) {
      found.emplace_back("nothing");
      continue;
    }
    found.push_back(
        std::string(citation.what == Cited::kNode ? "n " : "d ") +
        std::to_string(citation.first) + " " + std::to_string(citation.last) +
        (citation.campaign.empty() ? "" : " in " + citation.campaign));
  }
  return found;
}

TEST(CitationsTest, NodesDecisionsAndRangesAreFound) {
  EXPECT_THAT(Found("Of [[n:4088]] by [[d:17]], as [[n:4..n:9]]."),
              ElementsAre("n 4088 4088", "d 17 17", "n 4 9"));
  EXPECT_THAT(Found("[[n:4..9]]"), ElementsAre("n 4 9"));
}

TEST(CitationsTest, ACampaignMayStandBefore) {
  EXPECT_THAT(Found("[[gemv.stark.s1/n:4]]"),
              ElementsAre("n 4 4 in gemv.stark.s1"));
}

TEST(CitationsTest, PlacesAreThoseInTheText) {
  const auto found = FindCitations("ab [[n:7]] c");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].begin, 3u);
  EXPECT_EQ(found[0].end, 10u);
}

TEST(CitationsTest, WhatHasTheFormAndNoSenseCitesNothing) {
  EXPECT_THAT(Found("[[n:]] [[n:x]] [[q:4]] [[n:9..n:4]] [[n:-1]] [[n:4..d:9]]"
                    " [[n:99999999999999999999]]"),
              ElementsAre("nothing", "nothing", "nothing", "nothing", "nothing",
                          "nothing", "nothing"));
}

TEST(CitationsTest, WhatIsNoCitationIsLeftAlone) {
  EXPECT_THAT(Found("a[[0]] [[nodiscard]] [[n:4 [[ x]] [[n:\n4]] ]] [["),
              IsEmpty());
  EXPECT_THAT(Found("[[n:4"), IsEmpty());
  EXPECT_THAT(Found("[[ [[n:4]]"), ElementsAre("n 4 4"));
}

}  // namespace
}  // namespace coppice::assistant
