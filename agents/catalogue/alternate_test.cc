#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

// Steps that compute elements `from` to N - 1 and copy them back.
std::string Steps(const std::string& start, const std::string& from,
                  const std::string& behind = "") {
  return "  std::vector<float> next(N);\n"
         "  for (int64_t i = 0; i < N; ++i) {\n" +
         start +
         "  }\n"
         "  for (int64_t t = 0; t < M; ++t) {\n"
         "    for (int64_t i = " +
         from +
         "; i < N; ++i) {\n"
         "      next[i] = 0.5f * c[i];\n"
         "    }\n"
         "    for (int64_t i = " +
         from +
         "; i < N; ++i) {\n"
         "      c[i] = next[i];\n"
         "    }\n"
         "  }\n" +
         behind;
}

const char* const kBoth = "    c[i] = a[i];\n    next[i] = a[i];\n";
const char* const kOne = "    c[i] = a[i];\n";

TEST(AlternateTest, ArraysChangeRolesInsteadOfBeingCopied) {
  EXPECT_EQ(Rewrite(Steps(kOne, "0"), "alternate(t)"),
            "std::vector<float> next(N);\n"
            "for (int64_t i = 0; i < N; ++i) {\n"
            "  c[i] = a[i];\n"
            "}\n"
            "float* c_from = c;\n"
            "float* next_to = next.data();\n"
            "for (int64_t t = 0; t < M; ++t) {\n"
            "  for (int64_t i = 0; i < N; ++i) {\n"
            "    next_to[i] = 0.5f * c_from[i];\n"
            "  }\n"
            "  std::swap(c_from, next_to);\n"
            "}\n"
            "if (c_from != c) {\n"
            "  for (int64_t i = 0; i < N; ++i) {\n"
            "    c[i] = c_from[i];\n"
            "  }\n"
            "}\n");
}

TEST(AlternateTest, AnArrayMayBeKnownByAPointer) {
  const std::string made =
      Rewrite(Steps(kOne, "0"), "restrict() + alternate(t)");
  EXPECT_NE(made.find("float* c_p_from = c_p;\n"), std::string::npos) << made;
  EXPECT_NE(made.find("if (c_p_from != c_p) {\n"), std::string::npos) << made;
}

TEST(AlternateTest, ElementsThatNoStepWritesMustBeAlike) {
  EXPECT_FALSE(
      Rewrite(Steps(kBoth, "1"), "alternate(t)").starts_with("refused"));
  EXPECT_EQ(Rewrite(Steps(kOne, "1"), "alternate(t)"),
            "refused: alternate(t): elements that no step writes may differ "
            "between `c` and `next`");
}

TEST(AlternateTest, NobodyMayLookAtTheOtherArrayAfterwards) {
  EXPECT_EQ(Rewrite(Steps(kBoth, "0", "  c[0] = next[1];\n"), "alternate(t)"),
            "refused: alternate(t): `next` is used behind the loop");
}

TEST(AlternateTest, ADifferentCopyIsNone) {
  std::string steps = Steps(kBoth, "0");
  steps.replace(steps.find("c[i] = next[i]"), 14, "c[i] = next[0]");
  EXPECT_EQ(Rewrite(steps, "alternate(t)"),
            "refused: alternate(t): it does not compute an array and copy it "
            "back");
}

TEST(AlternateTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& old, const std::string& other) {
    std::string steps = Steps(kBoth, "0");
    steps.replace(steps.find(old), old.size(), other);
    return WhyNot(steps, "alternate(t)");
  };
  const std::string none = "it does not compute an array and copy it back";
  const std::string compute = "next[i] = 0.5f * c[i];";
  EXPECT_EQ(why_not(compute, compute), "applies");
  EXPECT_EQ(why_not(compute, "next[i] = 0.5f * next[i] + c[i];"), none);
  EXPECT_EQ(why_not(compute, "next[i] += c[i];"), none);
  EXPECT_EQ(why_not(compute, compute + "\n      c[i] = 1.0f;"), none);
  // The last step's element is the copy's alone.
  EXPECT_EQ(why_not("c[i] = next[i];", "c[i] = next[i + 1];"), none);
  EXPECT_EQ(why_not("c[i] = next[i];", "c[i] = 2.0f * next[i];"), none);
  EXPECT_EQ(
      why_not("std::vector<float> next(N)", "std::vector<double> next(N)"),
      "the two arrays are not of one type");
  EXPECT_EQ(why_not("std::vector<float> next(N)", "float* next = c + N"),
            "`next` is no vector of its own");
  EXPECT_EQ(WhyNot(Steps(kBoth, "0"), "alternate(i)"), none);
}

// What only some iterations write keeps what is two steps old.
TEST(AlternateTest, AnElementThatSomeStepsLeaveOutMustBeWrittenEither) {
  std::string steps = Steps(kBoth, "0");
  const std::string compute = "next[i] = 0.5f * c[i];";
  std::string guarded = steps;
  guarded.replace(guarded.find(compute), compute.size(),
                  "if (c[i] > 0) {\n        next[i] = 0.5f * c[i];\n      }");
  EXPECT_NE(WhyNot(guarded, "alternate(t)"), "applies");
  std::string both = steps;
  both.replace(both.find(compute), compute.size(),
               "if (c[i] > 0) {\n        next[i] = 0.5f * c[i];\n      } else "
               "{\n        next[i] = c[i];\n      }");
  EXPECT_EQ(WhyNot(both, "alternate(t)"), "applies");
}

// The steps would leave another of the two arrays in `next`.
TEST(AlternateTest, UnknownCodeMayLookAtWhatTheStepsLeft) {
  const auto why_not = [](const std::string& between,
                          const std::string& behind) {
    return WhyNot(
        "  std::vector<float> next(N);\n"
        "  for (int64_t i = 0; i < N; ++i) {\n"
        "    c[i] = a[i];\n    next[i] = a[i];\n  }\n" +
            between +
            "  for (int64_t t = 0; t < 4; ++t) {\n"
            "    for (int64_t i = 1; i < N - 1; ++i) {\n"
            "      next[i] = c[i - 1] + c[i + 1];\n    }\n"
            "    for (int64_t i = 1; i < N - 1; ++i) {\n"
            "      c[i] = next[i];\n    }\n"
            "  }\n" +
            behind,
        "alternate(t)");
  };
  EXPECT_EQ(why_not("", ""), "applies");
  EXPECT_EQ(why_not("", "  while (c[0] < next[0]) {\n    c[0] += 1;\n  }\n"),
            "`next` is used behind the loop");
  EXPECT_EQ(why_not("", "  while (c[0] < c[1]) {\n    c[0] += 1;\n  }\n"),
            "applies");
  EXPECT_EQ(why_not("  while (c[0] < 1) {\n    c[0] += 1;\n  }\n", ""),
            "elements that no step writes may differ between `c` and `next`");
}

}  // namespace
}  // namespace coppice::agents::catalogue
