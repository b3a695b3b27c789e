#include "agents/catalogue/popcount.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

std::string Count(const std::string& type, const std::string& bound) {
  return "  int32_t n = 0;\n  " + type +
         " bits = M;\n"
         "  for (int64_t b = 0; b < " +
         bound +
         "; ++b) {\n"
         "    n += (bits >> b) & 1;\n"
         "  }\n"
         "  c[0] = n;\n";
}

TEST(PopcountTest, CountsAllBitsOfAWord) {
  EXPECT_EQ(Rewrite(Count("int32_t", "32"), "popcount(b)"),
            "int32_t n = 0;\nint32_t bits = M;\n"
            "n += __builtin_popcount(bits);\nc[0] = n;\n");
  EXPECT_NE(Rewrite(Count("uint64_t", "64"), "popcount(b)")
                .find("n += __builtin_popcountll(bits);\n"),
            std::string::npos);
}

TEST(PopcountTest, SomeBitsAreNotAll) {
  const char* why =
      "refused: popcount(b): the loop does not count the bits of a word";
  EXPECT_EQ(Rewrite(Count("int32_t", "31"), "popcount(b)"), why);
  EXPECT_EQ(Rewrite(Count("int64_t", "32"), "popcount(b)"), why);
}

}  // namespace
}  // namespace coppice::agents::catalogue
