#include "eval/torch/closeness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::eval::torch {
namespace {

std::optional<Closeness> Tagged(std::vector<std::string> tags) {
  Definition definition;
  definition.tags = std::move(tags);
  return ClosenessOf(definition);
}

TEST(ClosenessTest, ADefinitionKeepsIt) {
  Definition definition;
  EXPECT_FALSE(ClosenessOf(definition));
  AddCloseness({.relative = 0.01, .absolute = 1e-8}, definition);
  EXPECT_THAT(definition.tags, testing::ElementsAre("rtol:0.01", "atol:1e-08"));
  EXPECT_EQ(ClosenessOf(definition)->relative, 0.01);
  EXPECT_EQ(ClosenessOf(definition)->absolute, 1e-8);
}

// 0.1 + 0.2 needs 17 digits.
TEST(ClosenessTest, NoDigitIsLost) {
  Definition definition;
  AddCloseness({.relative = 0.1 + 0.2, .absolute = 0.0}, definition);
  EXPECT_EQ(ClosenessOf(definition)->relative, 0.1 + 0.2);
  EXPECT_EQ(ClosenessOf(definition)->absolute, 0.0);
}

TEST(ClosenessTest, ItTakesBothTags) {
  EXPECT_FALSE(Tagged({"rtol:0.1"}));
  EXPECT_FALSE(Tagged({"atol:0.1"}));
  EXPECT_TRUE(Tagged({"op:x", "atol:0.1", "rtol:0.1"}));
}

// The scale of errors is one over the other.
TEST(ClosenessTest, ATagThatIsNoBoundIsNone) {
  for (const char* relative : {"rtol:", "rtol:loose", "rtol:0", "rtol:-0.1",
                               "rtol:nan", "rtol:inf", "rtol:0.1x"}) {
    EXPECT_FALSE(Tagged({relative, "atol:0.1"})) << relative;
  }
  for (const char* absolute :
       {"atol:", "atol:loose", "atol:-0.1", "atol:nan", "atol:1e999"}) {
    EXPECT_FALSE(Tagged({"rtol:0.1", absolute})) << absolute;
  }
}

}  // namespace
}  // namespace coppice::eval::torch
