#include "eval/torch/device_tensor_exchange.h"

#include <gtest/gtest.h>

namespace coppice::eval::torch {
namespace {

constexpr std::uint32_t kMostCalls = 16;

// 4 ms are enough: 4 calls of 1 ms, 2 of 3 ms, 1 of 5 ms.
TEST(SetsForTest, ShortCallsAreTimedTogether) {
  EXPECT_EQ(SetsFor(1e-3, 0.0, kMostCalls), 4U);
  EXPECT_EQ(SetsFor(3e-3, 0.0, kMostCalls), 2U);
  EXPECT_EQ(SetsFor(5e-3, 0.0, kMostCalls), 1U);
  EXPECT_EQ(SetsFor(10.0, 0.0, kMostCalls), 1U);
}

TEST(SetsForTest, NoMoreThanThereIsRoomFor) {
  EXPECT_EQ(SetsFor(1e-6, 0.0, kMostCalls), 16U);
  EXPECT_EQ(SetsFor(1e-9, 1e-9, kMostCalls), 16U);
  EXPECT_EQ(SetsFor(1e-6, 0.0, 1), 1U);
}

// A candidate of 0.5 ms wants 8 calls, which the root's 2 ms allow: 16 ms.
TEST(SetsForTest, AFastCandidateIsTimedByMoreCalls) {
  EXPECT_EQ(SetsFor(2e-3, 0.0, kMostCalls), 2U);
  EXPECT_EQ(SetsFor(2e-3, 5e-4, kMostCalls), 8U);
}

// The root has no more than 40 ms for its sake: 4 calls of 10 ms, none of 50.
TEST(SetsForTest, TheRootsCallsSetABound) {
  EXPECT_EQ(SetsFor(10e-3, 1e-6, kMostCalls), 4U);
  EXPECT_EQ(SetsFor(50e-3, 1e-6, kMostCalls), 1U);
}

// What the root alone would have stays.
TEST(SetsForTest, ASlowCandidateIsTimedByNoFewer) {
  EXPECT_EQ(SetsFor(1e-3, 1.0, kMostCalls), 4U);
}

}  // namespace
}  // namespace coppice::eval::torch
