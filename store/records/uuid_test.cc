#include "store/records/uuid.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

// RFC 9562, appendix A.6: unix_ts_ms 0x017F22E279B0, rand_a 0xCC3,
// rand_b 0x18C4DC0C0C07398F.
TEST(UuidTest, Version7MatchesTheVectorOfTheStandard) {
  const Uuid uuid = MakeUuidV7(0x017F22E279B0, 0xCC3, 0x18C4DC0C0C07398F);
  EXPECT_EQ(ToString(uuid), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(UuidTest, TextAndBytesAreInverse) {
  const std::string text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
  ASSERT_TRUE(ParseUuid(text).has_value());
  EXPECT_EQ(ToString(*ParseUuid(text)), text);
  EXPECT_EQ(ParseUuid("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"), ParseUuid(text));
}

TEST(UuidTest, RefusesWhatIsNoUuid) {
  EXPECT_FALSE(ParseUuid(""));
  EXPECT_FALSE(ParseUuid("017f22e2-79b0-7cc3-98c4-dc0c0c07398"));
  EXPECT_FALSE(ParseUuid("017f22e2079b0-7cc3-98c4-dc0c0c07398f"));
  EXPECT_FALSE(ParseUuid("017f22e2-79b0-7cc3-98c4-dc0c0c07398g"));
}

// 48 bits of time and 74 of chance; the rest says version 7, variant 2.
TEST(UuidTest, OnlyItsOwnBitsAreChance) {
  const std::uint64_t all = ~std::uint64_t{0};
  EXPECT_EQ(ToString(MakeUuidV7(0, 0, 0)),
            "00000000-0000-7000-8000-000000000000");
  EXPECT_EQ(ToString(MakeUuidV7(all, all, all)),
            "ffffffff-ffff-7fff-bfff-ffffffffffff");
  EXPECT_EQ(ToString(MakeUuidV7(1, 0, 0)),
            "00000000-0001-7000-8000-000000000000");
}

TEST(UuidTest, LaterOnesAreGreaterWhateverTheirChance) {
  const std::uint64_t all = ~std::uint64_t{0};
  EXPECT_LT(MakeUuidV7(255, all, all), MakeUuidV7(256, 0, 0));
  EXPECT_LT(ToString(MakeUuidV7(255, all, all)),
            ToString(MakeUuidV7(256, 0, 0)));
}

TEST(UuidTest, EachCharacterIsADigitOrItsDash) {
  const std::string text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'-', '0', 'g', '/', ':', '@', 'G', '`', ' '}) {
      std::string other = text;
      other[i] = c;
      const bool is_fine = c == text[i] || (c == '0' && text[i] != '-');
      EXPECT_EQ(ParseUuid(other).has_value(), is_fine) << other;
    }
  }
  EXPECT_FALSE(ParseUuid(text + "0"));
  EXPECT_FALSE(ParseUuid("{" + text + "}"));
}

}  // namespace
}  // namespace coppice
