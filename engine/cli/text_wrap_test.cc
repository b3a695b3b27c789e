#include "engine/cli/text_wrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::cli {
namespace {

using ::testing::ElementsAre;

TEST(TextWrapTest, LinesAreFilledAndNeverTooLong) {
  EXPECT_THAT(Wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrap("one two three", 6), ElementsAre("one", "two", "three"));
  EXPECT_THAT(Wrap("", 6), ElementsAre(""));
}

TEST(TextWrapTest, AWordThatIsTooLongHasALineOfItsOwn) {
  EXPECT_THAT(Wrap("a incomprehensible b", 6),
              ElementsAre("a", "incomprehensible", "b"));
}

TEST(WrapCommandTest, AShortCommandStaysAsItIs) {
  EXPECT_THAT(WrapCommand("  coppice run x   # now", 40),
              ElementsAre("  coppice run x   # now"));
}

TEST(WrapCommandTest, ItIsBrokenBeforeAnOption) {
  EXPECT_THAT(WrapCommand("  coppice run x --budget 9 --seed 1", 27),
              ElementsAre("  coppice run x \\", "      --budget 9 --seed 1"));
}

TEST(WrapCommandTest, ARemarkThatDoesNotFitComesFirst) {
  EXPECT_THAT(WrapCommand("  coppice run x   # and so on", 20),
              ElementsAre("  # and so on", "  coppice run x"));
}

TEST(WrapCommandTest, AQuotedWordIsBrokenOnlyIfItMustBe) {
  EXPECT_THAT(WrapCommand("  coppice sql \"a b c\" > x", 22),
              ElementsAre("  coppice sql \\", "      \"a b c\" > x"));
  EXPECT_THAT(WrapCommand("  sql \"aa bb cc dd ee\"", 14),
              ElementsAre("  sql \\", "      \"aa bb \\", "      cc dd \\",
                          "      ee\""));
}

}  // namespace
}  // namespace coppice::cli
