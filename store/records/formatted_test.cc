#include "store/records/formatted.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

TEST(FormattedTest, PrintsAsPrintfDoes) {
  EXPECT_EQ(Formatted("%.2f x of %d, %s", 1.005, 3, "all"), "1.00 x of 3, all");
  EXPECT_EQ(Formatted("%s", ""), "");
}

// 128 bytes with the zero at the end are at hand: the longest that fits, and
// those that are longer.
TEST(FormattedTest, LongTextsAreWhole) {
  for (const std::size_t size : {126U, 127U, 128U, 5000U}) {
    const std::string text(size, 'x');
    EXPECT_EQ(Formatted("%s|", text.c_str()), text + "|");
  }
}

}  // namespace
}  // namespace coppice
