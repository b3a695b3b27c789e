#include "eval/judge/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "eval/formats/test_tasks.h"

namespace coppice::eval {
namespace {

template <class T>
std::vector<T> As(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// With 400,000 draws the standard deviation of the mean is 0.0016, of the
// variance 0.0022, of the fourth moment sqrt(96 / 400000) = 0.0155; four of
// each are allowed.  Beyond 1.96 lie 5 % (20,000, deviation 138) and beyond the
// ziggurat's tail at 3.654 a fraction 2.58e-4 (103, deviation 10).
TEST(InputsTest, NormalsHaveTheMomentsAndTailsOfTheNormal) {
  std::vector<float> values(400'000);
  FillNormal(7, values.data(), values.size());
  double m1 = 0, m2 = 0, m4 = 0;
  int wide = 0, tail = 0;
  for (const double x : values) {
    m1 += x;
    m2 += x * x;
    m4 += x * x * x * x;
    wide += std::abs(x) > 1.959964 ? 1 : 0;
    tail += std::abs(x) > 3.654153 ? 1 : 0;
  }
  const auto n = static_cast<double>(values.size());
  EXPECT_NEAR(m1 / n, 0.0, 0.0064);
  EXPECT_NEAR(m2 / n, 1.0, 0.009);
  EXPECT_NEAR(m4 / n, 3.0, 0.062);
  EXPECT_NEAR(wide, 20'000, 552);
  EXPECT_NEAR(tail, 103, 41);
}

class MakeInputsTest : public testing::Test {
 protected:
  InputBytes Make(std::uint64_t index) {
    RandomStream stream(1, Purpose::kInputs, index);
    auto inputs = MakeInputs(shapes_, workload_, stream);
    EXPECT_TRUE(inputs) << inputs.error().what;
    return inputs.value_or(InputBytes{});
  }

  Shapes shapes_{.inputs = {{"f", DType::kFloat32, false, {1000}, 1000},
                            {"g", DType::kFloat32, false, {1000}, 1000},
                            {"i", DType::kInt32, false, {20000}, 20000},
                            {"b", DType::kBool, false, {1000}, 1000},
                            {"t", DType::kInt8, false, {5000}, 5000},
                            {"s", DType::kFloat32, true, {}, 1},
                            {"n", DType::kInt16, true, {}, 1}},
                 .outputs = {},
                 .varying_axes = {}};
  Workload workload_ = MakeWorkload("w", {});
};

TEST_F(MakeInputsTest, AreAFunctionOfTheStream) {
  EXPECT_EQ(Make(3), Make(3));
  EXPECT_NE(Make(3)[0], Make(4)[0]);
  EXPECT_NE(Make(3)[0], Make(3)[1]);  // Tensors of one call differ as well.
}

TEST_F(MakeInputsTest, IntegersCoverTheirRange) {
  const InputBytes inputs = Make(0);
  const auto ints = As<std::int32_t>(inputs[2]);
  // 20,000 draws of 2048 values miss one end with probability 6e-5.
  EXPECT_EQ(*std::ranges::min_element(ints), -1024);
  EXPECT_EQ(*std::ranges::max_element(ints), 1023);
  const auto bytes = As<std::int8_t>(inputs[4]);
  EXPECT_EQ(*std::ranges::min_element(bytes), -128);
  EXPECT_EQ(*std::ranges::max_element(bytes), 127);
  const auto flags = As<std::uint8_t>(inputs[3]);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(flags, 1)), 500, 80);
  EXPECT_EQ(std::ranges::count(flags, 0) + std::ranges::count(flags, 1), 1000);
}

TEST_F(MakeInputsTest, StatedScalarsTakeTheTypeOfTheirParameter) {
  workload_.inputs = {{"s", ScalarInput{std::int64_t{3}}},
                      {"n", ScalarInput{-2.0}}};
  const InputBytes inputs = Make(0);
  EXPECT_EQ(As<float>(inputs[5])[0], 3.0f);
  EXPECT_EQ(As<std::int16_t>(inputs[6])[0], -2);
}

TEST_F(MakeInputsTest, AScalarForATensorIsRefused) {
  workload_.inputs = {{"f", ScalarInput{1.0}}};
  RandomStream stream(1, Purpose::kInputs, 0);
  auto inputs = MakeInputs(shapes_, workload_, stream);
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().code, Errc::kUsage);
}

TEST(WidenTest, FloatsBecomeDoublesAndIntegersInt64) {
  const auto bytes = [](auto values) {
    std::vector<std::byte> raw(sizeof values);
    std::memcpy(raw.data(), &values, sizeof values);
    return raw;
  };
  const TensorShape floats{"f", DType::kFloat32, false, {2}, 2};
  EXPECT_EQ(As<double>(Widen(bytes(std::array{0.5f, -3.0f}), floats)),
            (std::vector{0.5, -3.0}));
  const TensorShape small{"t", DType::kInt8, false, {2}, 2};
  EXPECT_EQ(
      As<std::int64_t>(Widen(bytes(std::array<std::int8_t, 2>{-1, 7}), small)),
      (std::vector<std::int64_t>{-1, 7}));
}

TEST(WidenTest, EveryTypeKeepsItsValues) {
  const auto wide = [](auto values, DType dtype) {
    std::vector<std::byte> raw(sizeof values);
    std::memcpy(raw.data(), &values, sizeof values);
    return Widen(raw, {"x", dtype, false, {2}, 2});
  };
  const std::vector<std::int64_t> numbers = {-300, 7};
  EXPECT_EQ(As<std::int64_t>(
                wide(std::array<std::int64_t, 2>{-300, 7}, DType::kInt64)),
            numbers);
  EXPECT_EQ(As<std::int64_t>(
                wide(std::array<std::int32_t, 2>{-300, 7}, DType::kInt32)),
            numbers);
  EXPECT_EQ(As<std::int64_t>(
                wide(std::array<std::int16_t, 2>{-300, 7}, DType::kInt16)),
            numbers);
  EXPECT_EQ(
      As<std::int64_t>(wide(std::array<std::uint8_t, 2>{0, 1}, DType::kBool)),
      (std::vector<std::int64_t>{0, 1}));
  // 1.5 and -2.
  EXPECT_EQ(As<double>(wide(std::array<std::uint16_t, 2>{0x3e00, 0xc000},
                            DType::kFloat16)),
            (std::vector{1.5, -2.0}));
  EXPECT_EQ(As<double>(wide(std::array<std::uint16_t, 2>{0x3fc0, 0xc000},
                            DType::kBFloat16)),
            (std::vector{1.5, -2.0}));
}

// Draws so many elements of one input.
InputBytes Drawn(DType dtype, std::int64_t count, std::uint64_t index,
                 Distribution distribution = Distribution::kPlain) {
  const auto elements = static_cast<std::size_t>(count);
  RandomStream stream(1, Purpose::kInputs, index);
  return MakeInputs({.inputs = {{"x", dtype, false, {count}, elements}},
                     .outputs = {},
                     .varying_axes = {}},
                    MakeWorkload("w", {}), stream, distribution)
      .value();
}

TEST(DrawnInputsTest, WideIntegersAreWithin1024) {
  const auto shorts = As<std::int16_t>(Drawn(DType::kInt16, 20'000, 0)[0]);
  EXPECT_EQ(*std::ranges::min_element(shorts), -1024);
  EXPECT_EQ(*std::ranges::max_element(shorts), 1023);
  const auto longs = As<std::int64_t>(Drawn(DType::kInt64, 20'000, 0)[0]);
  EXPECT_EQ(*std::ranges::min_element(longs), -1024);
  EXPECT_EQ(*std::ranges::max_element(longs), 1023);
}

// 20,000 draws of 5 values miss one with probability below 1e-900.
TEST(DrawnInputsTest, ARangeHoldsForEveryDistribution) {
  const auto drawn = [](const ValueRange& range, Distribution distribution) {
    RandomStream stream(1, Purpose::kInputs, 0);
    const auto inputs = MakeInputs(
        {.inputs = {{"i", DType::kInt32, false, {200, 100}, 20'000, range}},
         .outputs = {},
         .varying_axes = {}},
        MakeWorkload("w", {}), stream, distribution);
    return As<std::int32_t>(inputs.value()[0]);
  };
  const auto plain = drawn({3, 7}, Distribution::kPlain);
  EXPECT_EQ(std::set<std::int32_t>(plain.begin(), plain.end()),
            (std::set<std::int32_t>{3, 4, 5, 6, 7}));
  EXPECT_FALSE(std::ranges::is_sorted(plain));
  // Zero is not in it, and what is nearest takes its place.
  for (const std::int32_t value : drawn({3, 7}, Distribution::kZeros)) {
    EXPECT_EQ(value, 3);
  }
  for (const auto distribution :
       {Distribution::kTies, Distribution::kSorted, Distribution::kNegative,
        Distribution::kDominant}) {
    for (const std::int32_t value : drawn({3, 7}, distribution)) {
      ASSERT_GE(value, 3);
      ASSERT_LE(value, 7);
    }
  }
  // All of it ascends, not each row, whatever it is drawn from.
  for (const auto distribution :
       {Distribution::kPlain, Distribution::kSorted, Distribution::kDominant}) {
    EXPECT_TRUE(std::ranges::is_sorted(drawn({3, 7, true}, distribution)));
  }
}

// A form holds whatever the distribution is; doubles have more bits than
// floats.
TEST(DrawnInputsTest, AFormHoldsForEveryDistribution) {
  Definition definition;
  definition.name = "forms";
  definition.axes = {{"N", std::nullopt, std::nullopt}};
  definition.inputs = {Tensor("x", {"N"}), Tensor("p", {"N"}, DType::kInt32),
                       Tensor("d", {"N"}, DType::kFloat64),
                       Tensor("u", {"N"}, DType::kUInt8)};
  definition.outputs = {Tensor("y", {"N"})};
  definition.tags = {"positive:x", "permutation:p"};
  const Workload workload = MakeWorkload("w", {{"N", 300}});
  const auto shapes = Resolve(definition, workload).value();
  for (const Distribution kind :
       {Distribution::kPlain, Distribution::kZeros, Distribution::kNegative}) {
    RandomStream stream(1, Purpose::kInputs, 0);
    const auto inputs = MakeInputs(shapes, workload, stream, kind).value();
    for (const float x : As<float>(inputs[0])) EXPECT_GT(x, 0.0f);
    auto p = As<std::int32_t>(inputs[1]);
    std::ranges::sort(p);
    for (int i = 0; i < 300; ++i) {
      EXPECT_EQ(p[static_cast<std::size_t>(i)], i);
    }
    if (kind != Distribution::kPlain) continue;
    int rounded = 0;
    for (const double d : As<double>(inputs[2])) {
      rounded += d == static_cast<double>(static_cast<float>(d)) ? 1 : 0;
    }
    EXPECT_LT(rounded, 10);
    EXPECT_GT(std::ranges::max(As<std::uint8_t>(inputs[3])), 127);
  }
}

TEST(DrawnInputsTest, ARangeMayBeAllWords) {
  RandomStream stream(1, Purpose::kInputs, 0);
  const ValueRange all{-(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 1};
  const auto inputs =
      MakeInputs({.inputs = {{"i", DType::kInt32, false, {1000}, 1000, all}},
                  .outputs = {},
                  .varying_axes = {}},
                 MakeWorkload("w", {}), stream);
  std::array<int, 32> ones{};
  for (const std::int32_t word : As<std::int32_t>(inputs.value()[0])) {
    for (int bit = 0; bit < 32; ++bit) {
      ones[static_cast<std::size_t>(bit)] += (word >> bit) & 1;
    }
  }
  // Each bit is a fair coin: 500 of 1000, with deviation 16.
  for (const int count : ones) EXPECT_NEAR(count, 500, 80);
}

// With 10,000 normals the mean is off by 0.01, and four times that is allowed;
// about 68 % are within 1, give or take 0.5 %.
TEST(DrawnInputsTest, HalfTypesAreNormalToo) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const InputBytes inputs = Drawn(dtype, 10'000, 3);
    const auto values =
        As<double>(Widen(inputs[0], {"x", dtype, false, {10'000}, 10'000}));
    double sum = 0.0;
    for (const double x : values) sum += x;
    EXPECT_NEAR(sum / 10'000, 0.0, 0.04);
    const auto within = std::ranges::count_if(
        values, [](double x) { return std::abs(x) < 1.0; });
    EXPECT_NEAR(static_cast<double>(within) / 10'000, 0.683, 0.02);
  }
}

// 16 more in float16.
TEST(DrawnInputsTest, HalfTypesHaveTheirDistributions) {
  const auto values =
      As<double>(Widen(Drawn(DType::kFloat16, 100, 0, Distribution::kOffset)[0],
                       {"x", DType::kFloat16, false, {100}, 100}));
  for (const double x : values) EXPECT_NEAR(x, 16.0, 6.0);
}

TEST_F(MakeInputsTest, ADistributionHoldsForSomeTensorsOrAllAndNeverForNone) {
  const auto is_zero = [](const std::vector<std::byte>& bytes) {
    const auto values = As<float>(bytes);
    return std::ranges::all_of(values, [](float x) { return x == 0.0f; });
  };
  std::set<std::pair<bool, bool>> seen;
  int all = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    RandomStream stream(1, Purpose::kInputs, index);
    const auto inputs =
        MakeInputs(shapes_, workload_, stream, Distribution::kZeros).value();
    int zeros = 0;
    for (const std::size_t i : {0u, 1u, 2u, 3u, 4u}) {
      zeros += is_zero(inputs[i]) ? 1 : 0;
    }
    ASSERT_GT(zeros, 0) << index;
    all += zeros == 5 ? 1 : 0;
    seen.insert({is_zero(inputs[0]), is_zero(inputs[1])});
    // A parameter is no data.
    EXPECT_NE(As<float>(inputs[5])[0], 0.0f);
  }
  EXPECT_EQ(seen.size(), 4u);
  // By a coin, or by five coins and one that is given: 106 of 200, with a
  // deviation of 7.
  EXPECT_NEAR(all, 106, 28);
}

TEST_F(MakeInputsTest, AScalarIsTheFirstBytesOfItsCell) {
  workload_.inputs = {{"s", ScalarInput{0.5}}, {"n", ScalarInput{true}}};
  const InputBytes inputs = Make(0);
  EXPECT_EQ(inputs[5].size(), 8u);
  EXPECT_EQ(As<std::uint32_t>(inputs[5]),
            (std::vector<std::uint32_t>{0x3f000000, 0}));
  EXPECT_EQ(As<std::int16_t>(inputs[6]),
            (std::vector<std::int16_t>{1, 0, 0, 0}));
}

TEST(ScalarInputsTest, EachTypeTakesWhatIsStated) {
  const auto cell = [](DType dtype, ScalarInput scalar) {
    Workload workload = MakeWorkload("w", {});
    workload.inputs = {{"a", scalar}};
    RandomStream stream(1, Purpose::kInputs, 0);
    return As<std::int64_t>(MakeInputs({.inputs = {{"a", dtype, true, {}, 1}},
                                        .outputs = {},
                                        .varying_axes = {}},
                                       workload, stream)
                                .value()[0])[0];
  };
  EXPECT_EQ(cell(DType::kInt64, {std::int64_t{1} << 40}), 1LL << 40);
  EXPECT_EQ(cell(DType::kInt32, {3.0}), 3);
  EXPECT_EQ(cell(DType::kInt8, {std::int64_t{5}}), 5);
  EXPECT_EQ(cell(DType::kBool, {std::int64_t{256}}), 1);
  EXPECT_EQ(cell(DType::kBool, {0.0}), 0);
}

TEST_F(MakeInputsTest, AFileThatIsNotThereIsNoInput) {
  workload_.inputs = {{"f", SafetensorsInput{"/nowhere/f.st", "f"}}};
  RandomStream stream(1, Purpose::kInputs, 0);
  const auto inputs = MakeInputs(shapes_, workload_, stream);
  ASSERT_FALSE(inputs);
  EXPECT_THAT(inputs.error().what, testing::HasSubstr("/nowhere/f.st"));
}

// Doubles are the floats of the same draw, and a rounding beside them.
TEST(DrawnInputsTest, DoublesRoundToTheFloatsOfTheSameDraw) {
  const auto doubles = As<double>(Drawn(DType::kFloat64, 1000, 5)[0]);
  const auto floats = As<float>(Drawn(DType::kFloat32, 1000, 5)[0]);
  double sum = 0.0;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(static_cast<float>(doubles[i]), floats[i]) << i;
    sum += (doubles[i] / static_cast<double>(floats[i]) - 1.0) * 0x1p24;
  }
  // Evenly to both sides: a mean of 0, with a deviation of 0.289 / sqrt(1000).
  EXPECT_NEAR(sum / 1000.0, 0.0, 0.04);
  for (const auto kind : {Distribution::kZeros, Distribution::kTies}) {
    for (const double x : As<double>(Drawn(DType::kFloat64, 100, 5, kind)[0])) {
      ASSERT_EQ(x, static_cast<double>(static_cast<float>(x)));
    }
  }
}

TEST(DrawnInputsTest, WordsWithoutASignAreBelow2048) {
  const auto shorts = As<std::uint16_t>(Drawn(DType::kUInt16, 20'000, 0)[0]);
  EXPECT_EQ(std::ranges::min(shorts), 0);
  EXPECT_EQ(std::ranges::max(shorts), 2047);
  const auto longs = As<std::uint32_t>(Drawn(DType::kUInt32, 20'000, 0)[0]);
  EXPECT_EQ(std::ranges::min(longs), 0u);
  EXPECT_EQ(std::ranges::max(longs), 2047u);
  const auto bytes = As<std::uint8_t>(Drawn(DType::kUInt8, 20'000, 0)[0]);
  EXPECT_EQ(std::ranges::min(bytes), 0);
  EXPECT_EQ(std::ranges::max(bytes), 255);
}

TEST(WidenTest, WordsWithoutASignKeepTheirValues) {
  const auto wide = [](auto value, DType dtype) {
    std::vector<std::byte> raw(sizeof value);
    std::memcpy(raw.data(), &value, sizeof value);
    return As<std::int64_t>(Widen(raw, {"x", dtype, false, {1}, 1}))[0];
  };
  EXPECT_EQ(wide(std::uint8_t{200}, DType::kUInt8), 200);
  EXPECT_EQ(wide(std::uint16_t{60'000}, DType::kUInt16), 60'000);
  EXPECT_EQ(wide(std::uint32_t{3'000'000'000}, DType::kUInt32), 3'000'000'000);
  std::vector<std::byte> raw(sizeof(double));
  const double third = 1.0 / 3.0;
  std::memcpy(raw.data(), &third, sizeof third);
  EXPECT_EQ(As<double>(Widen(raw, {"x", DType::kFloat64, false, {1}, 1}))[0],
            third);
}

}  // namespace
}  // namespace coppice::eval
