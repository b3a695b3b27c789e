#include "agents/catalogue/alternate.h"

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

}  // namespace
}  // namespace coppice::agents::catalogue
