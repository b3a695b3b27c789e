#include "agents/catalogue/fuse.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(FuseTest, JoinsNeighboursAndKeepsTheirNamesApart) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    float t = a[i];\n"
                    "    c[i] = t;\n"
                    "  }\n"
                    "  // then\n"
                    "  for (int64_t r = 0; r < M; ++r) {\n"
                    "    float t = b[r];\n"
                    "    c[r] = c[r] + t;\n"
                    "  }\n",
                    "fuse(i)"),
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  float t = a[i];\n"
            "  c[i] = t;\n"
            "  float t_2 = b[i];\n"
            "  c[i] = c[i] + t_2;\n"
            "}\n");
}

TEST(FuseTest, AnElementOfALaterIterationForbidsIt) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                      "    c[i] = a[i];\n  }\n"
                      "  for (int64_t i = 0; i < M; ++i) {\n"
                      "    c[i] = c[i + 1];\n  }\n",
                      "fuse(i)")
                  .starts_with("refused"));
}

TEST(FuseTest, RangesMustBeEqual) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                      "    c[i] = a[i];\n  }\n"
                      "  for (int64_t i = 0; i < N; ++i) {\n"
                      "    c[i] = c[i] + 1.0f;\n  }\n",
                      "fuse(i)")
                  .starts_with("refused"));
}

TEST(FuseTest, FissionGivesEachStatementALoop) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    c[i] = a[i];\n"
                    "    c[i] = c[i] + b[i];\n"
                    "  }\n",
                    "fission(i)"),
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  c[i] = a[i];\n"
            "}\n"
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  c[i] = c[i] + b[i];\n"
            "}\n");
}

TEST(FuseTest, FissionCannotSplitASharedScalar) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    float t = a[i];\n    c[i] = t;\n  }\n",
                    "fission(i)"),
            "refused: fission(i): `t` is shared by its statements");
}

// The second loop's `t` is the one from outside.
TEST(FuseTest, ANameOfTheFirstDoesNotHideWhatTheSecondUses) {
  EXPECT_EQ(Rewrite("  float t = a[0];\n"
                    "  for (int64_t i = 0; i < M; ++i) {\n"
                    "    float t = b[i];\n"
                    "    c[i] = t;\n"
                    "  }\n"
                    "  for (int64_t j = 0; j < M; ++j) {\n"
                    "    c[j] = c[j] + t;\n"
                    "  }\n",
                    "fuse(i)"),
            "float t = a[0];\n"
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  float t_1 = b[i];\n"
            "  c[i] = t_1;\n"
            "  c[i] = c[i] + t;\n"
            "}\n");
}

TEST(FuseTest, ThreeNeighboursBecomeOne) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 2; i < M; i += 2) {\n    c[i] = a[i];\n"
                    "  }\n"
                    "  for (int64_t j = 2; j < M; j += 2) {\n"
                    "    c[j] = c[j] + b[j];\n  }\n"
                    "  for (int64_t k = 2; k < M; k += 2) {\n"
                    "    c[k] = c[k] * 2.0f;\n  }\n",
                    "fuse(i)"),
            "for (int64_t i = 2; i < M; i += 2) {\n"
            "  c[i] = a[i];\n"
            "  c[i] = c[i] + b[i];\n"
            "  c[i] = c[i] * 2.0f;\n"
            "}\n");
}

TEST(FuseTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& first, const std::string& second,
                          const std::string& head = "0; j < M; ++j") {
    return WhyNot(
        "  float s = 0.0f;\n"
        "  for (int64_t i = 0; i < M; ++i) {\n    " +
            first + "\n  }\n  for (int64_t j = " + head + ") {\n    " + second +
            "\n  }\n  c[0] = s;\n",
        "fuse(i)");
  };
  const std::string no = "the next statement is no loop to join";
  EXPECT_EQ(why_not("c[i] = a[i];", "c[j] = 2 * c[j];"), "applies");
  // What the first writes later, the second reads now; and the reverse.
  EXPECT_EQ(why_not("c[i] = a[i];", "c[j] = c[j + 1];"), no);
  EXPECT_EQ(why_not("c[i] = a[i];", "c[M - 1 - j] = 2 * c[M - 1 - j];"), no);
  EXPECT_EQ(why_not("c[i] = c[0];", "c[j] = a[j];"), no);
  // The second needs the whole sum.
  EXPECT_EQ(why_not("s += a[i];", "c[j] = a[j] / s;"), no);
  EXPECT_EQ(why_not("c[i] = a[i];", "c[j] = 2 * c[j];", "1; j < M; ++j"), no);
  EXPECT_EQ(why_not("c[i] = a[i];", "c[j] = 2 * c[j];", "0; j <= M; ++j"), no);
  EXPECT_EQ(why_not("c[i] = a[i];", "c[j] = 2 * c[j];", "0; j < M; j += 2"),
            no);
  EXPECT_EQ(why_not("c[i] = a[i];", "if (a[j] > 0) {\n      break;\n    }"),
            no);
  EXPECT_EQ(why_not("float* p = c + i;\n    p[0] = a[i];", "c[j] = c[j + 1];"),
            no);
}

// Equal as numbers, however they are written.
TEST(FuseTest, EqualRangesNeedNotLookAlike) {
  EXPECT_EQ(WhyNot("  for (int64_t i = 0; i < M * N; ++i) {\n    c[i] = 1;\n"
                   "  }\n"
                   "  for (int64_t i = 0; i <= N * M - 1; ++i) {\n"
                   "    c[i] = c[i] + a[i];\n  }\n",
                   "fuse(i)"),
            "applies");
}

TEST(FuseTest, FissionRefusesWithAReason) {
  const auto why_not = [](const std::string& body) {
    return WhyNot(
        "  for (int64_t i = 1; i < M; ++i) {\n    " + body + "\n  }\n",
        "fission(i)");
  };
  EXPECT_EQ(why_not("c[i] = a[i];\n    c[i] += b[i];"), "applies");
  EXPECT_EQ(why_not("c[i] = a[i];"), "it holds one statement only");
  EXPECT_EQ(why_not("// once\n    c[i] = a[i];"),
            "it holds one statement only");
  // Row i would be read before row i - 1 is there.
  EXPECT_EQ(why_not("c[i] = a[i];\n    c[i] += c[i - 1];"),
            "iterations may touch the same elements of `c`");
  EXPECT_EQ(why_not("c[i] = a[i];\n    i += 1;"),
            "its iterations decide how many there are");
}

TEST(FuseTest, RefusesWhereOneVariableIsNotTheOther) {
  const auto why_not = [](const std::string& first, const std::string& second) {
    return WhyNot("  int64_t i = M - 1;\n  for (" + first +
                      ") {\n    c[i] = 1;\n  }\n  for (" + second +
                      " < N; ++j) {\n    c[j] = a[j];\n  }\n",
                  "fuse(i)");
  };
  const std::string none = "the next statement is no loop to join";
  // -1 would be the greatest number of all.
  EXPECT_EQ(why_not("size_t i = 0; i < N; ++i", "int64_t j = 0; j"), none);
  EXPECT_EQ(why_not("int64_t i = 0; i < N; ++i", "int64_t j = 0; j"),
            "applies");
  // The second speaks of the `i` in front of both.
  EXPECT_EQ(WhyNot("  int64_t i = M - 1;\n"
                   "  for (int64_t i = 0; i < N; ++i) {\n"
                   "    c[i] = 1;\n  }\n"
                   "  for (int64_t j = 0; j < N; ++j) {\n"
                   "    c[j] = a[i];\n  }\n",
                   "fuse(i)"),
            none);
}

}  // namespace
}  // namespace coppice::agents::catalogue
