#include "store/records/hidden_characters.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

TEST(HiddenCharactersTest, WhatIsShownAsNothingIsHidden) {
  for (const char32_t c :
       {U'\u00AD', U'\u202E', U'\u2066', U'\u200B', U'\u200F', U'\uFEFF',
        U'\u2028', U'\u061C', U'\uFE00', U'\uFE0F', U'\U000E0041',
        U'\U000E0100', U'\U000E01EF', U'\u3164'}) {
    EXPECT_TRUE(IsHidden(c)) << std::hex << static_cast<unsigned>(c);
  }
  EXPECT_TRUE(IsHidden(0x85));
  EXPECT_TRUE(IsHidden(0xFFFE));
  EXPECT_TRUE(IsHidden(0x1FFFF));
}

// The neighbours of the spans, and what people write.
TEST(HiddenCharactersTest, WhatIsSeenIsNot) {
  for (const char32_t c :
       {U'~', U'\u00A0', U'\u00AC', U'\u00AE', U'\u0301', U'\u0627', U'\u200A',
        U'\u2010', U'\u202F', U'\u5FEB', U'\uFE10', U'\uFFFC', U'\uFFFD',
        U'\U0001F332', U'\U000E1000'}) {
    EXPECT_FALSE(IsHidden(c)) << std::hex << static_cast<unsigned>(c);
  }
}

}  // namespace
}  // namespace coppice
