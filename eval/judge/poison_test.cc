#include "eval/judge/poison.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "eval/formats/half.h"

namespace coppice::eval {
namespace {

TEST(PoisonTest, FloatPatternsAreNanOrOrdinaryNumbers) {
  for (const std::uint64_t random :
       {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x0123456789abcdef},
        std::uint64_t{0xfedcba9876543210}}) {
    float lanes[2];
    std::uint64_t pattern =
        MakePoison(random, DType::kFloat32, PoisonKind::kNan);
    std::memcpy(lanes, &pattern, sizeof lanes);
    EXPECT_TRUE(std::isnan(lanes[0]) && std::isnan(lanes[1]));
    pattern = MakePoison(random, DType::kFloat32, PoisonKind::kFinite);
    std::memcpy(lanes, &pattern, sizeof lanes);
    for (const float lane : lanes) {
      EXPECT_GE(std::abs(lane), 1.0f / 16);
      EXPECT_LT(std::abs(lane), 16.0f);
    }
  }
}

TEST(PoisonTest, HalfPatternsAreNanOrOrdinaryNumbers) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const auto from = dtype == DType::kFloat16 ? FromFloat16 : FromBFloat16;
    for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0},
                                       std::uint64_t{0x0123456789abcdef}}) {
      std::uint16_t lanes[4];
      std::uint64_t pattern = MakePoison(random, dtype, PoisonKind::kNan);
      std::memcpy(lanes, &pattern, sizeof lanes);
      for (const auto lane : lanes) EXPECT_TRUE(std::isnan(from(lane)));
      pattern = MakePoison(random, dtype, PoisonKind::kFinite);
      std::memcpy(lanes, &pattern, sizeof lanes);
      for (const auto lane : lanes) {
        EXPECT_GE(std::abs(from(lane)), 1.0f / 16);
        EXPECT_LT(std::abs(from(lane)), 16.0f);
      }
    }
  }
}

// A tensor of 12 bytes at the end of a page: 4096 - 64 = 4032 before it, 52
// behind it.
class SlackTest : public testing::Test {
 protected:
  SlackTest() { Poison(pages_, kPattern); }
  bool Intact() const { return SlackIntact(pages_, 4032, 12, kPattern); }

  static constexpr std::uint64_t kPattern = 0x1122334455667788;
  std::vector<std::byte> pages_ = std::vector<std::byte>(4096);
};

TEST_F(SlackTest, WritingTheTensorIsAllowed) {
  std::memset(pages_.data() + 4032, 0, 12);
  EXPECT_TRUE(Intact());
}

TEST_F(SlackTest, OneByteOnEitherSideShows) {
  pages_[4044] ^= std::byte{1};
  EXPECT_FALSE(Intact());
  pages_[4044] ^= std::byte{1};
  EXPECT_TRUE(Intact());
  pages_[4031] ^= std::byte{1};
  EXPECT_FALSE(Intact());
}

TEST_F(SlackTest, TheFirstAndTheLastByteBelongToNobody) {
  for (const std::size_t place : {0u, 4095u}) {
    pages_[place] ^= std::byte{0x80};
    EXPECT_FALSE(Intact()) << place;
    pages_[place] ^= std::byte{0x80};
  }
  EXPECT_TRUE(Intact());
}

TEST_F(SlackTest, ATensorThatFillsItsPagesHasNone) {
  std::memset(pages_.data(), 0, 4096);
  EXPECT_TRUE(SlackIntact(pages_, 0, 4096, kPattern));
  EXPECT_FALSE(SlackIntact(pages_, 8, 4088, kPattern));
}

// Little-endian, by place and not by how far it is from the tensor.
TEST_F(SlackTest, EveryPlaceHasItsByteOfThePattern) {
  EXPECT_EQ(pages_[0], std::byte{0x88});
  EXPECT_EQ(pages_[7], std::byte{0x11});
  EXPECT_EQ(pages_[4095], std::byte{0x11});
  EXPECT_FALSE(SlackIntact(pages_, 4032, 12, kPattern + 1));
}

TEST(PoisonTest, OfIntegersIsAnyNumber) {
  for (const DType dtype : {DType::kInt64, DType::kInt32, DType::kInt16,
                            DType::kInt8, DType::kBool}) {
    for (const PoisonKind kind : {PoisonKind::kNan, PoisonKind::kFinite}) {
      EXPECT_EQ(MakePoison(0x0123456789abcdef, dtype, kind),
                0x0123456789abcdef);
    }
  }
}

// 1/16 with no bit set; 2^3 (2 - 2^-23), nearly 16, with all of them, negative.
TEST(PoisonTest, RandomBitsChooseSignExponentAndFraction) {
  const auto lane = [](std::uint64_t random, PoisonKind kind) {
    const std::uint64_t pattern = MakePoison(random, DType::kFloat32, kind);
    float lanes[2];
    std::memcpy(lanes, &pattern, sizeof lanes);
    return lanes[0];
  };
  EXPECT_EQ(lane(0, PoisonKind::kFinite), 0x1p-4f);
  EXPECT_EQ(lane(~std::uint64_t{0}, PoisonKind::kFinite), -0x1.fffffep3f);
  // The payloads differ, the NaNs are quiet.
  EXPECT_EQ(MakePoison(0, DType::kFloat32, PoisonKind::kNan),
            0x7fc000007fc00000);
  EXPECT_EQ(MakePoison(~std::uint64_t{0}, DType::kFloat32, PoisonKind::kNan),
            0xffffffffffffffff);
}

// The lanes have 16 bits, of which 5 or 8 are the exponent's.
TEST(PoisonTest, OfHalfTypesHasBitsOfAllFourLanes) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  EXPECT_EQ(MakePoison(0, DType::kFloat16, PoisonKind::kFinite),
            0x2c002c002c002c00);
  EXPECT_EQ(MakePoison(kAll, DType::kFloat16, PoisonKind::kNan),
            0xffffffffffffffff);
  EXPECT_EQ(MakePoison(0, DType::kFloat16, PoisonKind::kNan),
            0x7e007e007e007e00);
  EXPECT_EQ(MakePoison(0, DType::kBFloat16, PoisonKind::kFinite),
            0x3d803d803d803d80);
  EXPECT_EQ(MakePoison(0, DType::kBFloat16, PoisonKind::kNan),
            0x7fc07fc07fc07fc0);
}

// 2^-4 with no bit set; 2^3 (2 - 2^-52), nearly 16, with all of them, negative.
TEST(PoisonTest, DoublesAreNanOrOrdinaryNumbers) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const auto finite = [](std::uint64_t random) {
    return std::bit_cast<double>(
        MakePoison(random, DType::kFloat64, PoisonKind::kFinite));
  };
  EXPECT_EQ(finite(0), 0x1p-4);
  EXPECT_EQ(finite(kAll), -0x1.fffffffffffffp3);
  EXPECT_EQ(finite(std::uint64_t{1} << 52), 0x1p-3);
  EXPECT_EQ(MakePoison(0, DType::kFloat64, PoisonKind::kNan),
            0x7ff8000000000000);
  EXPECT_EQ(MakePoison(kAll, DType::kFloat64, PoisonKind::kNan), kAll);
}

}  // namespace
}  // namespace coppice::eval
