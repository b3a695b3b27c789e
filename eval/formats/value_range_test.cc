#include "eval/formats/value_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/formats/test_tasks.h"

namespace coppice::eval {
namespace {

using testing::HasSubstr;

Definition Sparse(std::vector<std::string> tags) {
  Definition definition;
  definition.name = "sparse";
  definition.tags = std::move(tags);
  definition.inputs = {Tensor("start", {"M"}, DType::kInt32),
                       Tensor("columns", {"NNZ"}, DType::kInt8),
                       Tensor("x", {"N"})};
  return definition;
}

TEST(ValueRangeTest, IsArithmeticOnAxes) {
  const auto ranges =
      ValueRanges(Sparse({"level:1", "range:start:0..NNZ", "ascending:start",
                          "range:columns:-1..2*N-3"}),
                  {{"M", 4}, {"NNZ", 9}, {"N", 7}});
  ASSERT_TRUE(ranges) << ranges.error().what;
  ASSERT_EQ(ranges->size(), 2u);
  EXPECT_EQ(ranges->at("start").low, 0);
  EXPECT_EQ(ranges->at("start").high, 9);
  EXPECT_TRUE(ranges->at("start").ascending);
  EXPECT_EQ(ranges->at("columns").low, -1);
  EXPECT_EQ(ranges->at("columns").high, 11);  // 2 * 7 - 3.
  EXPECT_FALSE(ranges->at("columns").ascending);
}

std::string WhatIsWrong(std::vector<std::string> tags) {
  const auto ranges =
      ValueRanges(Sparse(std::move(tags)), {{"M", 4}, {"NNZ", 9}, {"N", 200}});
  EXPECT_FALSE(ranges);
  return ranges ? "" : ranges.error().what;
}

TEST(ValueRangeTest, NamesWhatIsWrongWithATag) {
  EXPECT_EQ(WhatIsWrong({"range:x:0..3"}),
            "sparse: tag range:x:0..3: x is no input tensor of integers");
  EXPECT_THAT(WhatIsWrong({"range:rows:0..3"}), HasSubstr("rows is no input"));
  EXPECT_THAT(WhatIsWrong({"range:start:3"}),
              HasSubstr("range:NAME:LOW..HIGH"));
  EXPECT_THAT(WhatIsWrong({"range:start"}), HasSubstr("range:NAME:LOW..HIGH"));
  EXPECT_THAT(WhatIsWrong({"range:start:0..Q"}), HasSubstr("Q"));
  EXPECT_THAT(WhatIsWrong({"range:start:5..4"}),
              HasSubstr("no value is in it"));
  EXPECT_THAT(WhatIsWrong({"range:columns:0..N-1"}),  // 199 is no int8.
              HasSubstr("must be within -128..127"));
  EXPECT_THAT(WhatIsWrong({"ascending:start", "range:start:0..3"}),
              HasSubstr("must come before it"));
}

}  // namespace
}  // namespace coppice::eval
