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

TEST(PopcountTest, OtherSumsOfBitsAreLeftAlone) {
  const auto counts = [](const std::string& old, const std::string& other) {
    std::string source = Count("int32_t", "32");
    source.replace(source.find(old), old.size(), other);
    return WhyNot(source, "popcount(b)") == "applies";
  };
  EXPECT_TRUE(counts("b)", "b)"));
  EXPECT_FALSE(counts("(bits >> b) & 1", "(bits >> b) & 3"));
  EXPECT_FALSE(counts("(bits >> b) & 1", "bits >> b & 1 & n"));
  EXPECT_FALSE(counts("(bits >> b)", "(bits << b)"));
  EXPECT_FALSE(counts("(bits >> b)", "(bits >> n)"));
  EXPECT_FALSE(counts("n +=", "n -="));
  EXPECT_FALSE(counts("n +=", "bits +="));
  EXPECT_FALSE(counts("b = 0", "b = 1"));
  EXPECT_FALSE(counts("++b", "b += 2"));
  // A narrow or unknown word has other bits.
  EXPECT_FALSE(counts("int32_t bits", "int8_t bits"));
  EXPECT_FALSE(counts("int32_t bits", "auto bits"));
  EXPECT_TRUE(counts("int32_t bits", "const uint32_t bits"));
}

}  // namespace
}  // namespace coppice::agents::catalogue
