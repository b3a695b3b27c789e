#include "eval/cuda/generate.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "eval/formats/shapes.h"

namespace coppice::eval::cuda {
namespace {

template <class T>
std::vector<T> As(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Moments of 10^6 draws from N(0, 1): the mean has a standard error of 0.001,
// the second moment one of 0.0014, the fourth (3) one of 0.0098.  Four each.
TEST(GenerateTest, FloatsAreStandardNormal) {
  double mean = 0.0, second = 0.0, fourth = 0.0;
  const auto values = As<float>(Generate(DType::kFloat32, 7, 0, 0, 1'000'000));
  for (const double x : values) {
    mean += x / 1e6;
    second += x * x / 1e6;
    fourth += x * x * x * x / 1e6;
  }
  EXPECT_NEAR(mean, 0.0, 0.004);
  EXPECT_NEAR(second, 1.0, 0.0057);
  EXPECT_NEAR(fourth, 3.0, 0.039);
}

TEST(GenerateTest, IntegersFillTheirRange) {
  std::set<std::int32_t> seen;
  for (const std::int32_t x :
       As<std::int32_t>(Generate(DType::kInt32, 7, 0, 0, 100'000))) {
    seen.insert(x);
  }
  EXPECT_EQ(*seen.begin(), -1024);
  EXPECT_EQ(*seen.rbegin(), 1023);
  EXPECT_EQ(seen.size(), 2048u);
}

TEST(GenerateTest, BoolsAreZeroOrOne) {
  std::set<std::uint8_t> seen;
  for (const auto x : As<std::uint8_t>(Generate(DType::kBool, 7, 0, 0, 100))) {
    seen.insert(x);
  }
  EXPECT_EQ(seen, (std::set<std::uint8_t>{0, 1}));
}

// A part is the same as if it had been cut out of the whole.
TEST(GenerateTest, AnyPartCanBeMadeAlone) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16,
                            DType::kInt64, DType::kInt8}) {
    const std::size_t element = ElementBytes(dtype);
    const auto whole = Generate(dtype, 1, 2, 0, 100);
    const auto part = Generate(dtype, 1, 2, 37, 30);
    EXPECT_TRUE(
        std::equal(part.begin(), part.end(),
                   whole.begin() + static_cast<std::ptrdiff_t>(37 * element)));
  }
}

TEST(GenerateTest, SeedsAndTensorsDiffer) {
  const auto one = Generate(DType::kFloat32, 1, 0, 0, 8);
  EXPECT_NE(one, Generate(DType::kFloat32, 2, 0, 0, 8));
  EXPECT_NE(one, Generate(DType::kFloat32, std::uint64_t{1} << 32, 0, 0, 8));
  EXPECT_NE(one, Generate(DType::kFloat32, 1, 1, 0, 8));
}

}  // namespace
}  // namespace coppice::eval::cuda
