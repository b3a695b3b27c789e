#include "agents/catalogue/pad.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

// A 3 x 3 window over each of M planes of N rows and K columns.
std::string Window(const std::string& fold) {
  return "  for (int64_t m = 0; m < M; ++m) {\n"
         "    for (int64_t i = 0; i < N; ++i) {\n"
         "      for (int64_t j = 0; j < K; ++j) {\n"
         "        float s = 0.0f;\n"
         "        for (int64_t p = 0; p < 3; ++p) {\n"
         "          for (int64_t q = 0; q < 3; ++q) {\n"
         "            int64_t row = i + p - 1;\n"
         "            int64_t column = j + q - 1;\n"
         "            if (row >= 0 && row < N && column >= 0 && column < K) "
         "{\n              " +
         fold +
         "\n            }\n"
         "          }\n"
         "        }\n"
         "        c[(m * N + i) * K + j] = s;\n"
         "      }\n"
         "    }\n"
         "  }\n";
}

TEST(PadTest, ReadsACopyWithABorder) {
  const std::string text =
      Rewrite(Window("s += a[(m * N + row) * K + column];"), "pad(a)");
  // One plane at a time, in the loop over planes: one row and one column
  // before and one after.
  EXPECT_NE(text.find("  a_buffer.assign((N + 2) * (K + 2), 0.0f);\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("s += a_padded[(row + 1) * (K + 2) + (column + 1)];"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("if ("), std::string::npos);
}

TEST(PadTest, TheBorderOfAMaximumIsNeverLargest) {
  EXPECT_NE(Rewrite(Window("s = std::max(s, a[(m * N + row) * K + column]);"),
                    "pad(a)")
                .find("assign((N + 2) * (K + 2), -INFINITY)"),
            std::string::npos);
}

TEST(PadTest, OtherGuardsStay) {
  EXPECT_TRUE(Rewrite(Window("s += a[m * N * K + row * K + column];"), "pad(a)")
                  .starts_with("refused"));
  EXPECT_TRUE(Rewrite(Window("s = a[(m * N + row) * K + column];"), "pad(a)")
                  .starts_with("refused"));
  EXPECT_EQ(Paddable(ParseStmts("if (x >= 0) { s += a[x]; }")), "");
}

// What a border's zero or infinity makes of the value must change nothing.
TEST(PadTest, OnlyWhereTheBorderChangesNothing) {
  const auto applies = [](const std::string& fold) {
    return !Rewrite(Window(fold), "pad(a)").starts_with("refused");
  };
  const std::string x = "a[(m * N + row) * K + column]";
  EXPECT_TRUE(applies("s += " + x + " * b[p * 3 + q];"));
  EXPECT_TRUE(applies("s += 2.0f * " + x + " * " + x + ";"));
  EXPECT_TRUE(applies("s -= " + x + " / b[p];"));
  EXPECT_TRUE(applies("s += -" + x + ";"));
  EXPECT_TRUE(applies("s += " + x + " - " + x + " * " + x + ";"));
  EXPECT_FALSE(applies("s += " + x + " + 1.0f;"));
  EXPECT_FALSE(applies("s += (" + x + " - b[0]) * (" + x + " - b[0]);"));
  EXPECT_FALSE(applies("s += b[p] / " + x + ";"));
  EXPECT_FALSE(applies("s += std::exp(" + x + ");"));
  EXPECT_TRUE(applies("s = std::max(s, " + x + " + b[q]);"));
  EXPECT_TRUE(applies("s = std::min(s, " + x + " - b[q]);"));
  // A negative weight turns minus infinity round.
  EXPECT_FALSE(applies("s = std::max(s, " + x + " * b[q]);"));
  EXPECT_FALSE(applies("s = std::max(s, -" + x + ");"));
  EXPECT_FALSE(applies("s = std::max(s, b[q] - " + x + ");"));
  EXPECT_FALSE(applies("s *= " + x + ";"));
}

// The guard is b's, too.
TEST(PadTest, AnotherLoadUnderTheGuardNeedsIt) {
  EXPECT_TRUE(
      Rewrite(Window("s += a[(m * N + row) * K + column] * b[row];"), "pad(a)")
          .starts_with("refused"));
  EXPECT_TRUE(Rewrite(Window("s += a[(m * N + row) * K + column] * b[(m * N + "
                             "row) * K + column];"),
                      "pad(a)")
                  .starts_with("refused"));
}

TEST(PadTest, EveryBorderMustBeGuarded) {
  std::string window = Window("s += a[(m * N + row) * K + column];");
  for (const char* part : {"row >= 0 && ", "row < N && ", "column >= 0 && "}) {
    std::string other = window;
    other.erase(other.find(part), std::string(part).size());
    EXPECT_EQ(WhyNot(other, "pad(a)"),
              "no load is guarded by the array's borders")
        << part;
  }
  window.replace(window.find("column < K"), 10, "column < N");
  EXPECT_EQ(WhyNot(window, "pad(a)"),
            "no load is guarded by the array's borders");
}

// How many rows and columns lie beyond each edge, and the whole of a plane.
TEST(PadTest, TheBorderIsAsWideAsTheWindowReaches) {
  struct Case {
    const char *old, *other, *size;
  };
  for (const auto& [old, other, size] : {
           Case{"i + p - 1", "i + p - 1", "(N + 2) * (K + 2)"},
           Case{"i + p - 1", "i + p - 2", "(N + 2) * (K + 2)"},
           Case{"i + p - 1", "i + p", "(N + 2) * (K + 2)"},
           Case{"i + p - 1", "i + 2 * p - 2", "(N + 4) * (K + 2)"},
           Case{"j + q - 1", "j - q", "(N + 2) * (K + 2)"},
           Case{"q < 3", "q < 5", "(N + 2) * (K + 4)"},
       }) {
    std::string window = Window("s += a[(m * N + row) * K + column];");
    const std::string from = old;
    window.replace(window.find(from), from.size(), other);
    const std::string made = Rewrite(window, "pad(a)");
    EXPECT_NE(made.find("a_buffer.assign(" + std::string(size) + ", 0.0f);"),
              made.npos)
        << old << " as " << other << "\n"
        << made;
  }
}

TEST(PadTest, RefusesWithAReason) {
  const std::string sum = "s += a[(m * N + row) * K + column];";
  const auto why_not = [&](const std::string& old, const std::string& other) {
    std::string window = Window(sum);
    window.replace(window.find(old), old.size(), other);
    return WhyNot(window, "pad(a)");
  };
  const std::string reach = "how far the loads reach is not known";
  EXPECT_EQ(why_not("p < 3", "p < M"), reach);
  EXPECT_EQ(why_not("i + p - 1", "i * p - 1"), reach);
  EXPECT_EQ(why_not("p < 3", "p < 300"), reach);
  EXPECT_EQ(why_not("c[(m * N + i) * K + j] = s", "c[j] = 1; a[m] = s"),
            "the array is written here");
  EXPECT_EQ(WhyNot(Window(sum), "pad(b)"),
            "no load is guarded by the array's borders");
}

}  // namespace
}  // namespace coppice::agents::catalogue
