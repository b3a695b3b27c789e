#include "store/records/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace coppice {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Known answers of Random123 1.14 (kat_vectors, philox 4x32 10 rounds).
TEST(RandomTest, PhiloxGivesThePublishedAnswers) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                       {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomTest, AStreamIsAFunctionOfItsKeyAlone) {
  RandomStream a(7, Purpose::kSelect, 3);
  RandomStream b(7, Purpose::kSelect, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.NextU64(), b.NextU64());
}

TEST(RandomTest, SeedPurposeAndIndexEachGiveAnotherStream) {
  const auto first = [](std::uint64_t seed, Purpose purpose, std::uint64_t i) {
    return RandomStream(seed, purpose, i).NextU64();
  };
  const std::uint64_t base = first(7, Purpose::kSelect, 3);
  EXPECT_NE(base, first(8, Purpose::kSelect, 3));
  EXPECT_NE(base, first(7 + (1ull << 32), Purpose::kSelect, 3));
  EXPECT_NE(base, first(7, Purpose::kPlanWindow, 3));
  EXPECT_NE(base, first(7, Purpose::kSelect, 4));
  EXPECT_NE(base, first(7, Purpose::kSelect, 3 + (1ull << 32)));
}

TEST(RandomTest, AUnitIsNeverAnEndPoint) {
  EXPECT_EQ(OpenUnit(0), 0x1p-54);
  EXPECT_EQ(OpenUnit(~std::uint64_t{0}), 1.0 - 0x1p-53);
  EXPECT_NEAR(OpenUnit(std::uint64_t{1} << 63), 0.5, 0x1p-53);
}

// 60,000 draws over 6 values: 10,000 expected each, standard deviation
// sqrt(60000 * 1/6 * 5/6) = 91, so 500 is more than five of them.
TEST(RandomTest, BelowIsUniform) {
  RandomStream stream(1, Purpose::kSelect, 0);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts.at(stream.Below(6));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

// Mean of 40,000 normals has standard deviation 0.005; the variance 0.007.
TEST(RandomTest, NormalHasMeanZeroAndVarianceOne) {
  RandomStream stream(1, Purpose::kSimulation, 0);
  double sum = 0, squares = 0;
  for (int i = 0; i < 40000; ++i) {
    const double x = stream.Normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 40000, 0.0, 0.025);
  EXPECT_NEAR(squares / 40000, 1.0, 0.035);
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class Draw>
Moments MomentsOf(Draw draw) {
  constexpr int kDraws = 40000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

// Mean and variance are both the shape.  The mean of 40,000 draws has standard
// deviation sqrt(k / 40000); that of the variance is
// sqrt((2 k^2 + 6 k) / 40000): five of them.
TEST(RandomTest, GammaHasItsShapeAsMeanAndVariance) {
  RandomStream stream(2, Purpose::kSimulation, 0);
  for (const double shape : {0.3, 1.0, 4.5}) {
    const Moments got = MomentsOf([&] { return stream.Gamma(shape); });
    EXPECT_NEAR(got.mean, shape, 5 * std::sqrt(shape / 40000));
    EXPECT_NEAR(got.variance, shape,
                5 * std::sqrt((2 * shape * shape + 6 * shape) / 40000));
  }
}

// Mean a / (a + b), variance a b / ((a + b)^2 (a + b + 1)).  Beta(2, 6): 1/4
// and 12 / (64 * 9) = 1/48; Beta(0.5, 0.5): 1/2 and 1/8.
TEST(RandomTest, BetaHasItsMeanAndVariance) {
  RandomStream stream(3, Purpose::kSimulation, 0);
  const Moments lean = MomentsOf([&] { return stream.Beta(2, 6); });
  EXPECT_NEAR(lean.mean, 0.25, 0.004);
  EXPECT_NEAR(lean.variance, 1.0 / 48, 0.001);
  const Moments edges = MomentsOf([&] { return stream.Beta(0.5, 0.5); });
  EXPECT_NEAR(edges.mean, 0.5, 0.01);
  EXPECT_NEAR(edges.variance, 0.125, 0.003);
}

TEST(RandomTest, BetaOfTinyShapesIsAtItsEnds) {
  RandomStream stream(4, Purpose::kSimulation, 0);
  int ones = 0;
  for (int i = 0; i < 4000; ++i) {
    const double x = stream.Beta(1e-6, 3e-6);
    ASSERT_TRUE(x >= 0.0 && x <= 1.0);
    ones += x > 0.5 ? 1 : 0;
  }
  EXPECT_NEAR(ones, 1000, 140);  // A quarter; deviation sqrt(750) = 27.
}

// What it was made of is told whole: both are cut into halves of 32 bits.
TEST(RandomTest, AStreamTellsWhatItWasMadeOf) {
  for (const std::uint64_t bits :
       {std::uint64_t{0}, std::uint64_t{1} << 32, std::uint64_t{0xFFFFFFFF},
        ~std::uint64_t{0}, std::uint64_t{0x123456789ABCDEF0}}) {
    RandomStream stream(bits, Purpose::kShapes, ~bits);
    EXPECT_EQ(stream.seed(), bits);
    EXPECT_EQ(stream.index(), ~bits);
    stream.NextU64();
    stream.NextU64();
    stream.NextU64();
    EXPECT_EQ(stream.seed(), bits);
    EXPECT_EQ(stream.index(), ~bits);
    EXPECT_EQ(stream.purpose(), Purpose::kShapes);
  }
}

TEST(RandomTest, BelowStaysBelowAtEverySize) {
  RandomStream stream(3, Purpose::kSelect, 0);
  for (const std::uint64_t n :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
        (std::uint64_t{1} << 32) + 1, (std::uint64_t{1} << 63) + 1,
        ~std::uint64_t{0}}) {
    for (int i = 0; i < 200; ++i) ASSERT_LT(stream.Below(n), n);
  }
}

// The lowest quarter of 3 * 2^62 values must come as often as its share, 1 / 3
// each: without the rejection the products would favour some.  Deviation
// sqrt(30000 * 2 / 9) = 82.
TEST(RandomTest, BelowIsUniformWhereManyProductsAreRejected) {
  RandomStream stream(4, Purpose::kSelect, 0);
  const std::uint64_t third = std::uint64_t{1} << 62;
  std::array<int, 3> counts{};
  for (int i = 0; i < 30000; ++i) ++counts.at(stream.Below(3 * third) / third);
  for (const int count : counts) EXPECT_NEAR(count, 10000, 450);
}

TEST(RandomTest, BetaStaysInItsInterval) {
  RandomStream stream(5, Purpose::kSimulation, 0);
  for (const double a : {1e-300, 1e-3, 0.5, 30.0}) {
    for (const double b : {1e-300, 1e-3, 0.5, 30.0}) {
      for (int i = 0; i < 50; ++i) {
        const double x = stream.Beta(a, b);
        ASSERT_GE(x, 0.0) << a << " " << b;
        ASSERT_LE(x, 1.0) << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace coppice
