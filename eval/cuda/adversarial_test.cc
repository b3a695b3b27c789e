#include "eval/cuda/adversarial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "eval/formats/test_tasks.h"

namespace coppice::eval::cuda {
namespace {

class AdversarialInputsTest : public testing::Test {
 protected:
  std::unique_ptr<AdversarialInputs> Make(std::uint64_t seed) const {
    return AdversarialInputs::Make(task_, task_.workloads[0], seed).value();
  }
  // In which order all kinds of that seed are begun.
  std::vector<std::size_t> Order(std::uint64_t seed) const {
    const auto inputs = Make(seed);
    for (int i = 0; i < 20; ++i) inputs->BeginAnother();
    return inputs->begun();
  }

  const Task task_ = CudaScaleTask();
};

TEST_F(AdversarialInputsTest, EachKindIsBegunOnceInAnOrderOfTheSeed) {
  const std::vector<std::size_t> order = Order(1);
  EXPECT_EQ(order.size(), 11u);
  EXPECT_EQ(std::set(order.begin(), order.end()).size(), 11u);
  EXPECT_EQ(Order(1), order);
  std::set<std::size_t> firsts;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    firsts.insert(Order(seed).front());
  }
  EXPECT_GT(firsts.size(), 8u);
}

// Whether anybody began it: what is asked for is made, and not begun again.
TEST_F(AdversarialInputsTest, WhatIsTakenIsNotBegunAgain) {
  const auto inputs = Make(1);
  const std::vector<std::size_t> order = Order(1);
  inputs->BeginAnother();
  EXPECT_TRUE(inputs->Take(order[0]));  // It was begun.
  EXPECT_TRUE(inputs->Take(order[5]));  // It was not.
  EXPECT_EQ(inputs->begun(), (std::vector{order[0], order[5]}));
  for (int i = 0; i < 20; ++i) inputs->BeginAnother();
  EXPECT_EQ(inputs->begun().size(), 11u);
  EXPECT_EQ(std::ranges::count(inputs->begun(), order[5]), 1);
  for (const std::size_t kind : order) {
    const bool is_taken = kind == order[0] || kind == order[5];
    EXPECT_TRUE(is_taken || inputs->Take(kind).has_value());
  }
}

TEST_F(AdversarialInputsTest, KindsAreThoseOfTheTask) {
  EXPECT_EQ(Make(1)->kinds().size(), 11u);
  Task narrow = task_;
  narrow.definition.tags = {"without:tiny", "without:large"};
  EXPECT_EQ(AdversarialInputs::Make(narrow, narrow.workloads[0], 1)
                .value()
                ->kinds()
                .size(),
            9u);
  narrow.definition.tags = {"with:odd"};
  EXPECT_FALSE(AdversarialInputs::Make(narrow, narrow.workloads[0], 1));
}

}  // namespace
}  // namespace coppice::eval::cuda
