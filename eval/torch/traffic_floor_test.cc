#include "eval/torch/traffic_floor.h"

#include <gtest/gtest.h>

#include "eval/torch/problem.h"

namespace coppice::eval::torch {
namespace {

// 20 of 100 bytes may stay in the cache: 80 bytes at 10 bytes a second.
TEST(TrafficFloorTest, WhatACacheCannotHoldHasToBeWritten) {
  EXPECT_EQ(FloorSeconds({.bytes = 100.0, .bytes_per_s = 10.0}), 10.0);
  EXPECT_EQ(
      FloorSeconds({.bytes = 100.0, .bytes_per_s = 10.0, .cache_bytes = 20.0}),
      8.0);
  EXPECT_EQ(
      FloorSeconds({.bytes = 15.0, .bytes_per_s = 10.0, .cache_bytes = 20.0}),
      0.0);
}

TEST(TrafficFloorTest, WithoutASpeedThereIsNoFloor) {
  EXPECT_EQ(FloorSeconds({.bytes = 100.0}), 0.0);
}

}  // namespace
}  // namespace coppice::eval::torch
