#include "eval/judge/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "eval/formats/test_tasks.h"

namespace coppice::eval {
namespace {

template <class T>
std::vector<T> As(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Of 400,000 draws the mean has standard deviation 0.0016, the variance
// 0.0022, the fourth moment sqrt(96 / 400000) = 0.0155; all allowed four.
// Beyond 1.96 lie 5 % (20,000, deviation 138) and beyond the ziggurat's tail at
// 3.654 a fraction 2.58e-4 (103, deviation 10).
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

}  // namespace
}  // namespace coppice::eval
