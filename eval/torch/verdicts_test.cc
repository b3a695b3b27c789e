#include "eval/torch/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "eval/judge/call_channel.h"
#include "eval/torch/kernel_worker.h"

namespace coppice::eval::torch {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
Returned Tensor(const std::vector<T>& values, DType dtype) {
  Returned tensor{.dtype = dtype,
                  .sizes = {static_cast<std::int64_t>(values.size())},
                  .bytes = std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

Returned Floats(const std::vector<float>& values) {
  return Tensor(values, DType::kFloat32);
}

Verdict Judge(const std::vector<float>& y, const std::vector<float>& r,
              const Rule& rule = {}) {
  return Compare({Floats(y)}, {Floats(r)}, rule).verdict;
}

constexpr Rule kKernelBench{.protocol = Protocol::kBenchmark,
                            .precision = DType::kFloat32};

// R = sqrt((9 + 16) / 2) = 3.54, so 3 may be off by 1e-4 (3.54 + 3) = 6.5e-4.
TEST(VerdictsTest, AllowsErrorsByTheSizeOfTheOutput) {
  EXPECT_EQ(Judge({3.00060F, 4.0F}, {3.0F, 4.0F}), Verdict::kPassed);
  EXPECT_EQ(Judge({3.00070F, 4.0F}, {3.0F, 4.0F}), Verdict::kWrongOutput);
}

// An RMSNorm whose sum, normalised rows and products are rounded to bfloat16
// each has -4.9375 where one that is rounded once has -5: two neighbours on.
// 2^-6 (1 + 4.9375) = 0.093 is allowed where R is 1, and 0.059 were by 1e-2.
TEST(VerdictsTest, BFloat16MayBeRoundedMoreThanOnce) {
  EXPECT_EQ(ToleranceFor(DType::kBFloat16, {}), 0x1p-6);
  EXPECT_EQ(ToleranceFor(DType::kBFloat16, {.protocol = Protocol::kBenchmark,
                                            .precision = DType::kBFloat16}),
            1e-2);
  std::vector<std::uint16_t> once(25);  // R = 4.9375 / sqrt(25).
  std::vector<std::uint16_t> thrice(25);
  once[0] = 0xC0A0;    // -5
  thrice[0] = 0xC09E;  // -4.9375
  const auto judged = Compare({Tensor(once, DType::kBFloat16)},
                              {Tensor(thrice, DType::kBFloat16)}, {});
  EXPECT_EQ(judged.verdict, Verdict::kPassed);
}

// The tolerance that lets zeros pass as a softmax of many columns.
TEST(VerdictsTest, SmallOutputsAreNoZeros) {
  const std::vector<float> small(8, 2e-6F);
  const std::vector<float> zeros(8, 0.0F);
  EXPECT_EQ(Judge(zeros, small), Verdict::kWrongOutput);
  EXPECT_EQ(Judge(zeros, small, kKernelBench), Verdict::kPassed);
}

// 1e-4 + 1e-4 |y|: of 1 that is 2e-4, of 10 it is 1.1e-3.
TEST(VerdictsTest, KernelBenchAddsAnAbsoluteTolerance) {
  EXPECT_EQ(Judge({1.00019F}, {1.0F}, kKernelBench), Verdict::kPassed);
  EXPECT_EQ(Judge({1.00021F}, {1.0F}, kKernelBench), Verdict::kWrongOutput);
  EXPECT_EQ(Judge({10.0010F}, {10.0F}, kKernelBench), Verdict::kPassed);
  EXPECT_EQ(Judge({10.0012F}, {10.0F}, kKernelBench), Verdict::kWrongOutput);
}

// 1e-3 + 1e-2 |r|: of 1 that is 1.1e-2, of 0 it is 1e-3.  Integers stay exact.
TEST(VerdictsTest, ATaskMaySayItselfHowCloseIsCloseEnough) {
  const Rule rule{.closeness = Closeness{.relative = 1e-2, .absolute = 1e-3}};
  EXPECT_EQ(Judge({1.0109F}, {1.0F}, rule), Verdict::kPassed);
  EXPECT_EQ(Judge({1.0111F}, {1.0F}, rule), Verdict::kWrongOutput);
  EXPECT_EQ(Judge({9e-4F, 100.0F}, {0.0F, 100.0F}, rule), Verdict::kPassed);
  EXPECT_EQ(Judge({2e-3F, 100.0F}, {0.0F, 100.0F}, rule),
            Verdict::kWrongOutput);
  EXPECT_EQ(Judge({kNan}, {kNan}, rule), Verdict::kPassed);
  const auto whole = [](std::int64_t value) {
    return std::vector{Tensor<std::int64_t>({value}, DType::kInt64)};
  };
  EXPECT_EQ(Compare(whole(1001), whole(1000), rule).verdict,
            Verdict::kWrongOutput);
}

TEST(VerdictsTest, NansAndInfinitiesMustBeWhereTheyBelong) {
  EXPECT_EQ(Judge({kNan, 1.0F}, {kNan, 1.0F}), Verdict::kPassed);
  EXPECT_EQ(Judge({kNan, 1.0F}, {kNan, 1.0F}, kKernelBench),
            Verdict::kWrongOutput);
  EXPECT_EQ(Judge({kNan, 1.0F}, {0.0F, 1.0F}), Verdict::kWrongOutput);
  EXPECT_EQ(Judge({0.0F, 1.0F}, {kNan, 1.0F}), Verdict::kWrongOutput);
  EXPECT_EQ(Judge({-kInfinity}, {kInfinity}), Verdict::kWrongOutput);
  EXPECT_EQ(Judge({kInfinity}, {kInfinity}), Verdict::kPassed);
  EXPECT_EQ(Judge({kInfinity, 1.0F}, {3e38F, 1.0F}), Verdict::kWrongOutput);
}

TEST(VerdictsTest, IntegersMustBeEqual) {
  const auto judge = [](std::int64_t y, std::int64_t r) {
    return Compare({Tensor<std::int64_t>({y, 1'000'000}, DType::kInt64)},
                   {Tensor<std::int64_t>({r, 1'000'000}, DType::kInt64)}, {})
        .verdict;
  };
  EXPECT_EQ(judge(7, 7), Verdict::kPassed);
  EXPECT_EQ(judge(8, 7), Verdict::kWrongOutput);
  // No double tells it from its neighbour.
  constexpr std::int64_t kLarge = std::int64_t{1} << 53;
  EXPECT_EQ(judge(kLarge + 1, kLarge), Verdict::kWrongOutput);
}

TEST(VerdictsTest, HalfTypesHaveATolerance) {
  // 0x3C00 is 1; one more unit in the last place is 1.00098, 21 are 1.0205.
  const auto judge = [](std::uint16_t y) {
    return Compare({Tensor<std::uint16_t>({y}, DType::kFloat16)},
                   {Tensor<std::uint16_t>({0x3C00}, DType::kFloat16)}, {})
        .verdict;
  };
  EXPECT_EQ(judge(0x3C01), Verdict::kPassed);
  EXPECT_EQ(judge(0x3C15), Verdict::kWrongOutput);
}

// 0x7E is 448, the largest, and 0x7D is 416: with R = 448, (448 + 448) / 8 =
// 112 are allowed.
TEST(VerdictsTest, FloatsOf8BitsHaveAStep) {
  const auto judge = [](std::vector<std::uint8_t> y,
                        std::vector<std::uint8_t> r, DType dtype) {
    return Compare({Tensor(y, dtype)}, {Tensor(r, dtype)}, {}).verdict;
  };
  const DType e4 = DType::kFloat8E4M3FN;
  EXPECT_EQ(judge({0x7D}, {0x7E}, e4), Verdict::kPassed);
  EXPECT_EQ(judge({0x7A}, {0x7E}, e4), Verdict::kWrongOutput);  // 320.
  // For 1 (0x38) among 16, R is 1/4 and (1/4 + 1) / 8 is allowed.  That is more
  // than the steps to 1.125 and to 0.875, and less than two of them.
  std::vector<std::uint8_t> right(16, 0);
  right[0] = 0x38;
  for (const auto& [bits, verdict] :
       {std::pair<std::uint8_t, Verdict>{0x39, Verdict::kPassed},
        {0x36, Verdict::kPassed},
        {0x3A, Verdict::kWrongOutput}}) {
    std::vector<std::uint8_t> y = right;
    y[0] = bits;
    EXPECT_EQ(judge(y, right, e4), verdict) << int{bits};
  }
  // -0 is 0, NaN has a sign that says nothing, and no number is one.
  EXPECT_EQ(judge({0x80, 0xFF}, {0x00, 0x7F}, e4), Verdict::kPassed);
  EXPECT_EQ(judge({0x7E}, {0x7F}, e4), Verdict::kWrongOutput);
  // 0x3C is 1, 0x3D is 1.25; 0x7B is the largest and 0x7C infinity.
  const DType e5 = DType::kFloat8E5M2;
  EXPECT_EQ(judge({0x3D}, {0x3C}, e5), Verdict::kPassed);
  EXPECT_EQ(judge({0x3F}, {0x3C}, e5), Verdict::kWrongOutput);
  EXPECT_EQ(judge({0x7C}, {0x7B}, e5), Verdict::kWrongOutput);
}

TEST(VerdictsTest, SaysWhatIsWrong) {
  EXPECT_THAT(Compare({Floats({1.0F, 5.0F})}, {Floats({1.0F, 2.0F})}, {}).log,
              HasSubstr("output y[1] (element 1): got 5, expected 2"));
  EXPECT_EQ(Compare({}, {Floats({1.0F})}, {}).log,
            "it returned 0 tensors, not 1");
  EXPECT_EQ(Compare({Floats({1.0F})}, {Floats({1.0F, 2.0F})}, {}).log,
            "output y has shape [1], not [2]");
  EXPECT_EQ(
      Compare({Tensor<double>({1.0}, DType::kInt64)}, {Floats({1.0F})}, {}).log,
      "output y has another type of elements: int64, not float32");
  Returned other = Floats({});
  other.sizes = {1};
  other.other_type = "float64";
  EXPECT_EQ(Compare({other}, {Floats({1.0F})}, {}).log,
            "output y has another type of elements: float64, not float32");
}

// What is not there has no bytes.
TEST(VerdictsTest, AnOutputThatCannotBeReadIsWrong) {
  Returned gone = Floats({1.0F});
  gone.bytes.clear();
  EXPECT_EQ(Compare({gone}, {Floats({1.0F})}, {}).verdict,
            Verdict::kWrongOutput);
}

TEST(VerdictsTest, EveryOutputIsLookedAt) {
  const std::vector<Returned> right = {Floats({1.0F}), Floats({2.0F})};
  const std::vector<Returned> wrong = {Floats({1.0F}), Floats({3.0F})};
  const Judgement judgement = Compare(wrong, right, {});
  EXPECT_EQ(judgement.verdict, Verdict::kWrongOutput);
  EXPECT_THAT(judgement.log, HasSubstr("output y2"));
  // 1 over 1e-4 (2 + 2).
  EXPECT_NEAR(judgement.worst_error_ratio, 2500.0, 1e-6);
  EXPECT_NEAR(judgement.max_absolute_error, 1.0, 1e-12);
  EXPECT_NEAR(judgement.max_relative_error, 0.5, 1e-12);
}

// What has no elements is right, and so is nothing.
TEST(VerdictsTest, NothingIsEqualToNothing) {
  EXPECT_EQ(Compare({}, {}, {}).verdict, Verdict::kPassed);
  EXPECT_EQ(Judge({}, {}), Verdict::kPassed);
  EXPECT_EQ(Judge({}, {}, kKernelBench), Verdict::kPassed);
  EXPECT_EQ(Judge({}, {1.0F}), Verdict::kWrongOutput);
}

// R is that of 3 and 4, as in the first test, whatever stands beside them.
TEST(VerdictsTest, OnlyFiniteElementsTellTheSizeOfAnOutput) {
  EXPECT_EQ(
      Judge({3.00060F, 4.0F, kInfinity, kNan}, {3.0F, 4.0F, kInfinity, kNan}),
      Verdict::kPassed);
  EXPECT_EQ(
      Judge({3.00070F, 4.0F, kInfinity, kNan}, {3.0F, 4.0F, kInfinity, kNan}),
      Verdict::kWrongOutput);
  EXPECT_EQ(Judge({1e-30F, kInfinity}, {0.0F, kInfinity}),
            Verdict::kWrongOutput);  // R is 0.
}

// It compares by the problem's tolerance: of 100000, 1e-4 (1 + 100001) = 10.
TEST(VerdictsTest, KernelBenchComparesIntegersAsAnything) {
  const auto judge = [](std::int32_t y) {
    return Compare({Tensor<std::int32_t>({y}, DType::kInt32)},
                   {Tensor<std::int32_t>({100'000}, DType::kInt32)},
                   kKernelBench)
        .verdict;
  };
  EXPECT_EQ(judge(100'010), Verdict::kPassed);
  EXPECT_EQ(judge(100'011), Verdict::kWrongOutput);
}

TEST(VerdictsTest, EveryWholeTypeIsExact) {
  const auto judge = [](auto y, auto r, DType dtype) {
    return Compare({Tensor(std::vector{y}, dtype)},
                   {Tensor(std::vector{r}, dtype)}, {})
        .verdict;
  };
  constexpr std::int32_t kWord = 1 << 30;
  EXPECT_EQ(judge(kWord, kWord, DType::kInt32), Verdict::kPassed);
  EXPECT_EQ(judge(kWord + 1, kWord, DType::kInt32), Verdict::kWrongOutput);
  using Short = std::int16_t;
  EXPECT_EQ(judge(Short{-7}, Short{-7}, DType::kInt16), Verdict::kPassed);
  EXPECT_EQ(judge(Short{-7}, Short{7}, DType::kInt16), Verdict::kWrongOutput);
  using Byte = std::int8_t;
  for (const DType dtype : {DType::kInt8, DType::kBool, DType::kFloat4E2M1}) {
    EXPECT_EQ(judge(Byte{1}, Byte{1}, dtype), Verdict::kPassed);
    EXPECT_EQ(judge(Byte{0}, Byte{1}, dtype), Verdict::kWrongOutput);
  }
}

TEST(VerdictsTest, TolerancesAreOfTheTypeOrOfTheProblem) {
  EXPECT_EQ(ToleranceFor(DType::kFloat32, {}), 1e-4);
  EXPECT_EQ(ToleranceFor(DType::kBFloat16, {}), 0x1p-6);
  EXPECT_EQ(ToleranceFor(DType::kBool, {}), 0.0);
  const Rule half{.protocol = Protocol::kBenchmark,
                  .precision = DType::kBFloat16};
  EXPECT_EQ(ToleranceFor(DType::kFloat32, half), 1e-2);
  EXPECT_EQ(ToleranceFor(DType::kInt32, half), 1e-2);
  EXPECT_EQ(ToleranceFor(DType::kFloat32, kKernelBench), 1e-4);
  const Rule own{.closeness = Closeness{.relative = 0.5}};
  EXPECT_EQ(ToleranceFor(DType::kFloat8E5M2, own), 0.5);
  EXPECT_EQ(ToleranceFor(DType::kInt8, own), 0.0);
}

// 0 has no relative error, and an infinite one is told.
TEST(VerdictsTest, ErrorsAreToldWhereThereAreSome) {
  const Judgement of_zero =
      Compare({Floats({0.5F, 1.0F})}, {Floats({0.0F, 1.0F})}, {});
  EXPECT_EQ(of_zero.max_absolute_error, 0.5);
  EXPECT_EQ(of_zero.max_relative_error, 0.0);
  const Judgement endless = Compare({Floats({kNan})}, {Floats({2.0F})}, {});
  EXPECT_EQ(endless.worst_error_ratio, HUGE_VAL);
  EXPECT_EQ(endless.max_absolute_error, HUGE_VAL);
  EXPECT_EQ(endless.max_relative_error, HUGE_VAL);
  const Judgement equal = Compare({Floats({-0.0F})}, {Floats({0.0F})}, {});
  EXPECT_EQ(equal.worst_error_ratio, 0.0);
}

// Element 4 of two rows of three is the second of the second row.
TEST(VerdictsTest, AnElementIsNamedByItsIndexes) {
  Returned right = Floats({0, 0, 0, 0, 0, 0});
  right.sizes = {2, 3};
  Returned wrong = Floats({0, 0, 0, 0, 1, 0});
  wrong.sizes = {2, 3};
  EXPECT_THAT(Compare({wrong}, {right}, {}).log,
              HasSubstr("output y[1, 1] (element 4): got 1, expected 0"));
  wrong.sizes = {3, 2};
  EXPECT_EQ(Compare({wrong}, {right}, {}).log,
            "output y has shape [3, 2], not [2, 3]");
  wrong.sizes = {};
  EXPECT_EQ(Compare({right, wrong}, {right, right}, {}).log,
            "output y2 has shape [], not [2, 3]");
}

}  // namespace
}  // namespace coppice::eval::torch
