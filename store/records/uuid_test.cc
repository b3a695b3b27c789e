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

}  // namespace
}  // namespace coppice
