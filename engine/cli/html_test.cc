#include "engine/cli/html.h"

#include <gtest/gtest.h>

namespace coppice::cli {
namespace {

TEST(HtmlTest, NothingEndsWhatItStandsIn) {
  EXPECT_EQ(Escaped("</script><!-- & \"x\" 'y'"),
            "&lt;/script&gt;&lt;!-- &amp; &quot;x&quot; &#39;y&#39;");
}

TEST(HtmlTest, ControlsAreSeen) {
  EXPECT_EQ(Escaped(std::string_view("a\0b\033[2J\x7F\n\tc", 11)),
            "a\u2400b\u241B[2J\u2421\n\tc");
  EXPECT_EQ(Escaped("a\r\nb\rc"), "a\nb\u240Dc");
}

TEST(HtmlTest, WhatTurnsOrHidesIsNumbered) {
  EXPECT_EQ(Escaped("a\u202Eb\u2066c\u200Fd\u200Be\uFEFFf\u0085g\u2028h"),
            "a[U+202E]b[U+2066]c[U+200F]d[U+200B]e[U+FEFF]f[U+0085]g[U+2028]h");
  EXPECT_EQ(Escaped("a\u00ADb\uFE0Fc\U000E0100d"),
            "a[U+00AD]b[U+FE0F]c[U+E0100]d");
  EXPECT_EQ(Escaped("\U000E0041\uFFFE"), "[U+E0041][U+FFFE]");
}

// A lone continuation, an overlong slash, a surrogate, a torn character, and
// what is beyond Unicode.
TEST(HtmlTest, WhatIsNoUtf8IsReplaced) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(Escaped("a\x80z"), "a" + bad + "z");
  EXPECT_EQ(Escaped("\xC0\xAF"), bad + bad);
  EXPECT_EQ(Escaped("\xED\xA0\x80"), bad + bad + bad);
  EXPECT_EQ(Escaped("x\xE2\x82"), "x" + bad + bad);
  EXPECT_EQ(Escaped("\xF4\x90\x80\x80"), bad + bad + bad + bad);
}

TEST(HtmlTest, OtherTextIsAsItIs) {
  EXPECT_EQ(Escaped("x = y[i];  // größer 漢字 😀"),
            "x = y[i];  // größer 漢字 😀");
}

// printf abc | openssl dgst -sha256 -binary | base64
TEST(HtmlTest, AHashIsThatOfThePolicy) {
  EXPECT_EQ(ContentHash("abc"),
            "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

}  // namespace
}  // namespace coppice::cli
