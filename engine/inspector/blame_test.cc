#include "engine/inspector/blame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::inspector {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BlameTest, ALineIsOfTheGenerationThatWroteIt) {
  EXPECT_THAT(Blame({"a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\nd\n"}),
              ElementsAre(0, 1, 0, 2));
}

TEST(BlameTest, DeletedLinesMoveTheOthersUp) {
  EXPECT_THAT(Blame({"a\nb\nc\n", "c\n", "n\nc\n"}), ElementsAre(1 + 1, 0));
}

TEST(BlameTest, ALineThatLooksLikeAHunkIsALine) {
  EXPECT_THAT(Blame({"@@ -1 +1 @@\nb\n", "@@ -1 +1 @@\n@@ -9 +9 @@\n"}),
              ElementsAre(0, 1));
}

TEST(BlameTest, AGenerationWithoutACandidateIsPassedOver) {
  EXPECT_THAT(Blame({"a\n", "", "a\nb"}), ElementsAre(0, 2));
  EXPECT_THAT(Blame({"", ""}), IsEmpty());
}

}  // namespace
}  // namespace coppice::inspector
