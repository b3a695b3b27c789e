#include "eval/torch/matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "eval/judge/call_channel.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/verdicts.h"

namespace coppice::eval::torch {
namespace {

using testing::HasSubstr;

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kEndless = std::numeric_limits<float>::infinity();

template <class T>
Returned MatchedTensor(const std::vector<T>& values, DType dtype) {
  Returned output{.dtype = dtype,
                  .sizes = {static_cast<std::int64_t>(values.size())},
                  .bytes = std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(output.bytes.data(), values.data(), output.bytes.size());
  return output;
}

Judgement Matched(const std::vector<float>& y, const std::vector<float>& r,
                  const Matching& matching = {}) {
  return Compare({MatchedTensor(y, DType::kFloat32)},
                 {MatchedTensor(r, DType::kFloat32)},
                 {.protocol = Protocol::kBenchmark, .matching = matching});
}

Verdict VerdictOn(float y, float r) { return Matched({y}, {r}).verdict; }

// The absolute error of 0.5 may be 0.01, that of 10 may be 0.1.
TEST(MatchingTest, AnElementFailsByBothErrors) {
  EXPECT_EQ(VerdictOn(0.509F, 0.5F), Verdict::kPassed);
  EXPECT_EQ(VerdictOn(0.511F, 0.5F), Verdict::kWrongOutput);
  EXPECT_EQ(VerdictOn(10.09F, 10.0F), Verdict::kPassed);
  EXPECT_EQ(VerdictOn(10.11F, 10.0F), Verdict::kWrongOutput);
  EXPECT_EQ(VerdictOn(0.009F, 0.0F), Verdict::kPassed);
}

TEST(MatchingTest, NothingIsInfiniteAndAnythingMatchesWhatIs) {
  EXPECT_EQ(VerdictOn(kNoNumber, kNoNumber), Verdict::kWrongOutput);
  EXPECT_EQ(VerdictOn(kEndless, kEndless), Verdict::kWrongOutput);
  EXPECT_EQ(VerdictOn(7.0F, kNoNumber), Verdict::kPassed);
  EXPECT_EQ(VerdictOn(7.0F, kEndless), Verdict::kPassed);
}

TEST(MatchingTest, TheLogNamesTheFirstElementThatExplains) {
  const Judgement wrong = Matched({1, 3, 5}, {1, 2, 4});
  EXPECT_THAT(wrong.log, HasSubstr("y[1]"));
  EXPECT_THAT(wrong.log, HasSubstr("2 of 3 elements wrong"));
  EXPECT_THAT(Matched({1, 3, kNoNumber}, {1, 2, 4}).log, HasSubstr("y[2]"));
}

// Errors 0, 1 and 1, relatively 1/2 and 1/4; over the allowed ones 1 / 0.02.
TEST(MatchingTest, TheLargestErrorsAreKept) {
  const Judgement judgement = Matched({1, 3, 5}, {1, 2, 4});
  EXPECT_DOUBLE_EQ(judgement.max_absolute_error, 1.0);
  EXPECT_FLOAT_EQ(static_cast<float>(judgement.max_relative_error), 0.5F);
  EXPECT_NEAR(judgement.worst_error_ratio, 50.0, 1e-4);
  EXPECT_EQ(Matched({1, 3}, {1, kNoNumber}).max_absolute_error, 0.0);
}

// One of 20 is 0.05, two are 0.1.
TEST(MatchingTest, AShareOfTheElementsMayFail) {
  const std::vector<float> r(20, 1.0F);
  std::vector<float> y = r;
  y[3] = 2.0F;
  EXPECT_EQ(Matched(y, r).verdict, Verdict::kWrongOutput);
  EXPECT_EQ(Matched(y, r, {.least = 0.95}).verdict, Verdict::kPassed);
  y[4] = 2.0F;
  EXPECT_EQ(Matched(y, r, {.least = 0.95}).verdict, Verdict::kWrongOutput);
  EXPECT_EQ(Matched({}, {}).verdict, Verdict::kPassed);
}

// 1000 may be off by 10, an index too; of a byte by its value, not its bits.
TEST(MatchingTest, EveryTypeIsComparedAsNumbers) {
  const auto judge = [](const auto& y, const auto& r, DType dtype) {
    return Compare({MatchedTensor(y, dtype)}, {MatchedTensor(r, dtype)},
                   {.matching = Matching{}})
        .verdict;
  };
  using Int64s = std::vector<std::int64_t>;
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(judge(Int64s{1010}, Int64s{1000}, DType::kInt64), Verdict::kPassed);
  EXPECT_EQ(judge(Int64s{1011}, Int64s{1000}, DType::kInt64),
            Verdict::kWrongOutput);
  // 0 and -0.
  EXPECT_EQ(judge(Bytes{0x00}, Bytes{0x80}, DType::kFloat8E4M3FN),
            Verdict::kPassed);
  EXPECT_EQ(judge(Bytes{0x7f}, Bytes{0x7f}, DType::kFloat8E4M3FN),
            Verdict::kWrongOutput);  // NaN.
  EXPECT_EQ(judge(Bytes{0x7c}, Bytes{0x7c}, DType::kFloat8E5M2),
            Verdict::kWrongOutput);  // Infinity.
  EXPECT_EQ(judge(Bytes{1}, Bytes{0}, DType::kBool), Verdict::kWrongOutput);
}

// The absolute error of 0.5 may be 0.1, that of 10 may be 0.5.
TEST(MatchingTest, TheErrorsThatAreAllowedMayBeOthers) {
  const auto verdict = [](float y, float r) {
    return Matched({y}, {r}, {.absolute = 0.1, .relative = 0.05}).verdict;
  };
  EXPECT_EQ(verdict(0.59F, 0.5F), Verdict::kPassed);
  EXPECT_EQ(verdict(0.61F, 0.5F), Verdict::kWrongOutput);
  EXPECT_EQ(verdict(10.49F, 10.0F), Verdict::kPassed);
  EXPECT_EQ(verdict(10.51F, 10.0F), Verdict::kWrongOutput);
}

TEST(MatchingTest, LowBitMixturesMayMissSomeUnlessConfigured) {
  Task task;
  task.definition.name = "moe_fp8_block_scale_ds_routing_topk8";
  EXPECT_EQ(MatchingOf(task).least, 0.95);
  task.eval_config = {.rtol = 0.5, .atol = 0.25, .required_matched_ratio = 1.0};
  EXPECT_EQ(MatchingOf(task).least, 1.0);
  EXPECT_EQ(MatchingOf(task).relative, 0.5);
  EXPECT_EQ(MatchingOf(task).absolute, 0.25);
  task = {};
  task.definition.name = "moe_bf16";
  EXPECT_EQ(MatchingOf(task).least, 1.0);
}

// An infinite element fails, however few must match.
TEST(MatchingTest, NoShareExcusesWhatIsInfinite) {
  std::vector<float> y(20, 1.0F);
  y[7] = kEndless;
  const Judgement wrong =
      Matched(y, std::vector<float>(20, 1.0F), {.least = 0.5});
  EXPECT_EQ(wrong.verdict, Verdict::kWrongOutput);
  EXPECT_EQ(wrong.max_absolute_error, HUGE_VAL);
  EXPECT_THAT(wrong.log, HasSubstr("y[7]"));
}

// 65504 is the largest float16, 0x7BFF; 1 is 0x3C00.
TEST(MatchingTest, HalfTypesAreComparedAsFloats) {
  using Halves = std::vector<std::uint16_t>;
  const auto judge = [](const Halves& y, const Halves& r, DType dtype) {
    return Compare({MatchedTensor(y, dtype)}, {MatchedTensor(r, dtype)},
                   {.matching = Matching{}})
        .verdict;
  };
  EXPECT_EQ(judge({0x7BFF}, {0x7BFF}, DType::kFloat16), Verdict::kPassed);
  EXPECT_EQ(judge({0x7C00}, {0x7BFF}, DType::kFloat16), Verdict::kWrongOutput);
  // 1.0195 and 1.0078: off by 0.02 and by 0.008.
  EXPECT_EQ(judge({0x3C14}, {0x3C00}, DType::kFloat16), Verdict::kWrongOutput);
  EXPECT_EQ(judge({0x3F81}, {0x3F80}, DType::kBFloat16), Verdict::kPassed);
}

}  // namespace
}  // namespace coppice::eval::torch
