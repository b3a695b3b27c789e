#include "agents/catalogue/network.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

// A network sorts everything if it sorts all zeros and ones (Knuth, 5.3.4,
// theorem Z).
TEST(NetworkTest, MergeExchangeSortsEveryZeroAndOne) {
  for (std::size_t count = 1; count <= 12; ++count) {
    const auto network = SortingNetwork(count);
    for (std::uint32_t bits = 0; bits < 1U << count; ++bits) {
      std::vector<std::uint32_t> values;
      for (std::size_t i = 0; i < count; ++i) values.push_back(bits >> i & 1U);
      for (const auto& [first, second] : network) {
        if (values[first] > values[second]) {
          std::swap(values[first], values[second]);
        }
      }
      ASSERT_TRUE(std::is_sorted(values.begin(), values.end()))
          << count << " elements, " << bits;
    }
  }
}

std::string Median(const std::string& sort) {
  return "  for (int64_t j = 0; j < K; ++j) {\n"
         "    float w[3];\n"
         "    for (int64_t p = 0; p < 3; ++p) {\n"
         "      w[p] = a[j + p];\n"
         "    }\n" +
         sort + "    c[j] = w[1];\n  }\n";
}

// Merge exchange of three compares 0 with 2, 0 with 1, 1 with 2.  The last
// comparison serves its lesser alone, and so both results of the first two are
// used.
const char* const kMiddleOfThree =
    "for (int64_t j = 0; j < K; ++j) {\n"
    "  float w_0;\n"
    "  float w_1;\n"
    "  float w_2;\n"
    "  w_0 = a[j];\n"
    "  w_1 = a[j + 1];\n"
    "  w_2 = a[j + 2];\n"
    "  const float w_s0 = w_2 < w_0 ? w_2 : w_0;\n"
    "  const float w_s1 = w_2 > w_0 ? w_2 : w_0;\n"
    "  const float w_s2 = w_1 > w_s0 ? w_1 : w_s0;\n"
    "  const float w_s3 = w_s1 < w_s2 ? w_s1 : w_s2;\n"
    "  c[j] = w_s3;\n"
    "}\n";

TEST(NetworkTest, SortsByTheLibraryBecomeComparisons) {
  EXPECT_EQ(Rewrite(Median("    std::sort(w, w + 3);\n"), "network(w)"),
            kMiddleOfThree);
  EXPECT_EQ(
      Rewrite(Median("    std::nth_element(w, w + 1, w + 3);\n"), "network(w)"),
      kMiddleOfThree);
}

TEST(NetworkTest, InsertionSortIsKnownInItsTwoForms) {
  const char* const kBehind =
      "    for (int64_t u = 1; u < 3; ++u) {\n"
      "      float v = w[u];\n"
      "      int64_t b = u;\n"
      "      while (b > 0 && w[b - 1] > v) {\n"
      "        w[b] = w[b - 1];\n"
      "        b -= 1;\n"
      "      }\n"
      "      w[b] = v;\n"
      "    }\n";
  EXPECT_EQ(Rewrite(Median(kBehind), "network(w)"), kMiddleOfThree);
  EXPECT_EQ(Rewrite(Median("    for (int64_t u = 1; u < 3; ++u) {\n"
                           "      int64_t b = u - 1;\n"
                           "      const float v = w[u];\n"
                           "      while (b >= 0 && v < w[b]) {\n"
                           "        w[b + 1] = w[b];\n"
                           "        --b;\n"
                           "      }\n"
                           "      w[b + 1] = v;\n"
                           "    }\n"),
                    "network(w)"),
            kMiddleOfThree);
}

TEST(NetworkTest, ExchangesAndBubblesThatSortAreKnown) {
  const auto swap = [](const char* loops, const char* a, const char* b) {
    const std::string left = std::string("w[") + a + "]";
    const std::string right = std::string("w[") + b + "]";
    return Median(std::string(loops) + "if (" + left + " > " + right +
                  ") { std::swap(" + left + ", " + right + "); } } }\n");
  };
  EXPECT_EQ(Rewrite(swap("for (int u = 0; u < 3; u++) { for (int v = u + 1; v "
                         "< 3; v++) { ",
                         "u", "v"),
                    "network(w)"),
            kMiddleOfThree);
  EXPECT_EQ(Rewrite(swap("for (int u = 0; u < 3; u++) { for (int v = 0; v < 3 "
                         "- u - 1; v++) { ",
                         "v", "v + 1"),
                    "network(w)"),
            kMiddleOfThree);
  EXPECT_EQ(Rewrite(swap("for (int u = 0; u < 2; u++) { for (int v = 0; v < 2; "
                         "v++) { ",
                         "v", "v + 1"),
                    "network(w)"),
            kMiddleOfThree);
}

TEST(NetworkTest, WhatOnlyLooksLikeASortIsLeftAlone) {
  const auto insertion = [](const char* test, const char* store) {
    return Median(std::string("    for (int64_t u = 1; u < 3; ++u) {\n"
                              "      float v = w[u];\n"
                              "      int64_t b = u;\n"
                              "      while (") +
                  test +
                  ") {\n"
                  "        w[b] = w[b - 1];\n"
                  "        b -= 1;\n"
                  "      }\n"
                  "      " +
                  store + "\n    }\n");
  };
  const std::string refused =
      "refused: network(w): no array of that name is sorted here";
  // The right one, to be sure that the others differ by one thing alone.
  EXPECT_EQ(
      Rewrite(insertion("b > 0 && w[b - 1] > v", "w[b] = v;"), "network(w)"),
      kMiddleOfThree);
  EXPECT_EQ(
      Rewrite(insertion("b > 1 && w[b - 1] > v", "w[b] = v;"), "network(w)"),
      refused);
  EXPECT_EQ(Rewrite(insertion("b > 0 && w[b - 1] > 2.0f * v", "w[b] = v;"),
                    "network(w)"),
            refused);
  EXPECT_EQ(Rewrite(insertion("b > 0 && w[b - 1] > v", "w[b - 1] = v;"),
                    "network(w)"),
            refused);
  EXPECT_EQ(Rewrite(Median("    std::sort(w, w + 2);\n"), "network(w)"),
            refused);
}

TEST(NetworkTest, ElementsMustBeKnownByNumber) {
  std::string late = Median("    std::sort(w, w + 3);\n");
  late.replace(late.find("w[1]"), 4, "w[j % 3]");
  EXPECT_EQ(Rewrite(late, "network(w)"),
            "refused: network(w): not all its elements are known by number");
}

TEST(NetworkTest, SwapsOfAPartialSortStayWhatTheyDo) {
  // One pass of bubbles: the greatest of three is last, the rest in no order.
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < K; ++j) {\n"
                    "    float w[3];\n"
                    "    w[0] = a[j];\n"
                    "    w[1] = b[j];\n"
                    "    w[2] = a[j] * b[j];\n"
                    "    for (int64_t u = 0; u < 2; ++u) {\n"
                    "      if (w[u] > w[u + 1]) {\n"
                    "        float held = w[u];\n"
                    "        w[u] = w[u + 1];\n"
                    "        w[u + 1] = held;\n"
                    "      }\n"
                    "    }\n"
                    "    c[j] = w[1];\n"
                    "  }\n",
                    "network(w)"),
            "for (int64_t j = 0; j < K; ++j) {\n"
            "  float w_0;\n"
            "  float w_1;\n"
            "  float w_2;\n"
            "  w_0 = a[j];\n"
            "  w_1 = b[j];\n"
            "  w_2 = a[j] * b[j];\n"
            "  const float w_s0 = w_1 > w_0 ? w_1 : w_0;\n"
            "  const float w_s1 = w_2 < w_s0 ? w_2 : w_s0;\n"
            "  c[j] = w_s1;\n"
            "}\n");
}

TEST(NetworkTest, ElementsMayBeCountedWhileTheyAreFilled) {
  const auto counted = [](const char* fill) {
    return Rewrite(std::string("  for (int64_t j = 0; j < K; ++j) {\n"
                               "    float w[3];\n"
                               "    int count = 0;\n"
                               "    for (int64_t p = 0; p < 3; ++p) {\n") +
                       fill +
                       "    }\n"
                       "    std::sort(w, w + 3);\n"
                       "    c[j] = w[1];\n"
                       "  }\n",
                   "network(w)");
  };
  EXPECT_EQ(counted("      w[count++] = a[j + p];\n"), kMiddleOfThree);
  // Both ways fill the place before it is counted.
  const std::string either = counted(
      "      if (j + p < K) {\n"
      "        w[count] = a[j + p];\n"
      "      } else {\n"
      "        w[count] = 0.0f;\n"
      "      }\n"
      "      count += 1;\n");
  EXPECT_NE(either.find("w_2 = a[j + 2];"), std::string::npos) << either;
  // How many there are depends on the place.
  EXPECT_EQ(counted("      if (j + p < K) {\n"
                    "        w[count++] = a[j + p];\n"
                    "      }\n"),
            "refused: network(w): not all its elements are known by number");
}

// The greatest first: w[0] is the maximum.
TEST(NetworkTest, WhatSortsDownwardsIsTurnedRound) {
  const std::string made = Rewrite(
      "  for (int64_t j = 0; j < K; ++j) {\n"
      "    float w[2];\n"
      "    w[0] = a[j];\n"
      "    w[1] = b[j];\n"
      "    for (int64_t u = 1; u < 2; ++u) {\n"
      "      float v = w[u];\n"
      "      int64_t at = u;\n"
      "      while (at > 0 && w[at - 1] < v) {\n"
      "        w[at] = w[at - 1];\n"
      "        at -= 1;\n"
      "      }\n"
      "      w[at] = v;\n"
      "    }\n"
      "    c[j] = w[0];\n"
      "  }\n",
      "network(w)");
  EXPECT_NE(made.find("const float w_s0 = w_0 > w_1 ? w_0 : w_1;\n"
                      "  c[j] = w_s0;\n"),
            made.npos)
      << made;
}

TEST(NetworkTest, OtherArraysAreLeftAlone) {
  const std::string sort = "    std::sort(w, w + 3);\n";
  struct Case {
    const char *old, *other, *why;
  };
  const std::string none = "no array of that name is sorted here";
  for (const auto& [old, other, why] : {
           Case{"float w[3]", "float w[3]", "applies"},
           Case{"float w[3]", "float w[4]", none.c_str()},
           Case{"float w[3]", "float w[K]", none.c_str()},
           Case{"std::sort(w,", "std::sort(w + 1,", none.c_str()},
           Case{"std::sort", "std::reverse", none.c_str()},
           Case{"c[j] = w[1]", "w[0] = 1.0f; c[j] = w[1]",
                "it is written again behind the sort"},
           Case{"c[j] = w[1]", "Use(c, w); c[j] = w[1]",
                "not all its elements are known by number"},
           Case{"c[j] = w[1]", "c[j] = w[3]",
                "not all its elements are known by number"},
           Case{"p < 3", "p < N", "not all its elements are known by number"},
           Case{"c[j] = w[1];", "while (M) { M -= 1; } c[j] = w[1];",
                "it is used by code whose effects are unknown"},
       }) {
    std::string text = Median(sort);
    const std::string from = old;
    text.replace(text.find(from), from.size(), other);
    EXPECT_EQ(WhyNot(text, "network(w)"), why) << old << " as " << other;
  }
}

}  // namespace
}  // namespace coppice::agents::catalogue
