#include "engine/factory/fitness.h"

#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

TEST(TaskFitnessTest, ATaskThatMeasuresNothingIsKeptByWishOrAsABenchmarkHasIt) {
  const struct {
    Unfit unfit;
    Protocol protocol;
    bool is_kept;
  } cases[] = {
      {Unfit::kSkip, Protocol::kCoppice, false},
      {Unfit::kSkip, Protocol::kBenchmark, false},
      {Unfit::kKeep, Protocol::kCoppice, true},
      {Unfit::kKeep, Protocol::kBenchmark, true},
      {Unfit::kAsUsual, Protocol::kCoppice, false},
      {Unfit::kAsUsual, Protocol::kBenchmark, true},
  };
  for (const auto& [unfit, protocol, is_kept] : cases) {
    EXPECT_EQ(IsKept(unfit, protocol), is_kept)
        << static_cast<int>(unfit) << static_cast<int>(protocol);
  }
}

TEST(TaskFitnessTest, WhatIsNotKeptSaysWhyAndWhatToDo) {
  EXPECT_TRUE(MustBeKept("level1/1", {}));
  EXPECT_TRUE(MustBeKept("level1/1", {.why_unfit = "zeros pass"}));
  const auto refused =
      MustBeKept("level1/1", {.why_unfit = "zeros pass", .is_kept = false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUnfit);
  EXPECT_EQ(refused.error().what,
            "level1/1: zeros pass; take another task, or keep it by --unfit "
            "keep");
}

}  // namespace
}  // namespace coppice::engine
