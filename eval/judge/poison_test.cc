#include "eval/judge/poison.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace coppice::eval
