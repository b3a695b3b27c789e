#include "engine/documents/profile_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/documents/or_null.h"
#include "engine/documents/value_json.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

// 1 GB at 1 GB/s takes a second, and 1 Gflop at 10 a tenth of it.
TEST(ProfileJsonTest, WhatIsNotKnownIsNull) {
  Profile profile;
  profile.shape = "N=4";
  profile.runtime_s = 2.0;
  profile.bytes = 1e9;
  profile.flops = 1e9;
  profile.roof_bytes_per_s = 1e9;
  profile.roof_flops_per_s = 1e10;
  profile.counters.cycles = 5.0;
  profile.kernels.push_back({.name = "k", .calls = 2});
  profile.kernels.push_back({.name = "l",
                             .calls = 1,
                             .total_s = 0.5,
                             .registers = 32,
                             .limit = ResidencyLimit::kSharedMemory});
  const Json json = ProfileJson(profile);
  EXPECT_EQ(json["bound"], "memory");
  EXPECT_EQ(json["counters"]["cycles"], 5.0);
  EXPECT_EQ(json["counters"]["instructions"], nullptr);
  ASSERT_EQ(json["kernels"].size(), 2U);
  EXPECT_EQ(json["kernels"][0]["total_s"], nullptr);
  EXPECT_EQ(json["kernels"][0]["limit"], nullptr);
  EXPECT_EQ(json["kernels"][1]["registers"], 32);
  EXPECT_EQ(json["kernels"][1]["limit"], "shared memory");
  profile.flops = 1e12;
  EXPECT_EQ(ProfileJson(profile)["bound"], "arithmetic");
  EXPECT_EQ(ProfileJson(std::nullopt), nullptr);
}

TEST(OrNullTest, ANumberThatIsMissingIsNull) {
  EXPECT_EQ(OrNull(std::optional(1.5)), 1.5);
  EXPECT_EQ(OrNull(std::optional(std::int64_t{7})), 7);
  EXPECT_EQ(OrNull(std::optional<double>()), nullptr);
  EXPECT_EQ(OrNull(std::optional<std::int64_t>()), nullptr);
}

TEST(ValueJsonTest, AValueKeepsItsType) {
  EXPECT_EQ(ValueJson(std::int64_t{7}).dump(), "7");
  EXPECT_EQ(ValueJson(7.0).dump(), "7.0");
  EXPECT_EQ(ValueJson(std::string("7")).dump(), "\"7\"");
  EXPECT_EQ(ValueJson(store::Value()).dump(), "null");
}

}  // namespace
}  // namespace coppice::cli
