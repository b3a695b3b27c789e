#include "eval/host/secret_seed.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

TEST(SecretSeedTest, IsTheGivenOne) {
  EXPECT_EQ(SecretSeed(0).value(), 0u);
  EXPECT_EQ(SecretSeed(7).value(), 7u);
}

// Two of 64 bits are the same once in 2^64 times.
TEST(SecretSeedTest, IsElseAnotherOneEachTime) {
  EXPECT_NE(SecretSeed(std::nullopt).value(), SecretSeed(std::nullopt).value());
}

}  // namespace
}  // namespace coppice::eval
