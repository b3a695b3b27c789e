#include "agents/catalogue/aliases.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

// What is found where `before` stands in front of a loop over j with `body`.
std::string Found(const std::string& before, const std::string& body) {
  const StmtList all =
      ParseStmts(before + "for (int64_t j = 1; j < N; ++j) { " + body + " }");
  return TwoNamesOfOne(all, {all.back()});
}

TEST(AliasesTest, ASecondNameOfWhatIsWrittenIsFound) {
  const std::string both = "`out` and `c` may be one";
  for (const char* before :
       {"float* out = c;", "float* out = c + N;", "float* out = &c[4];",
        "float* out = static_cast<float*>(c) - N;", "auto out = c;",
        "float* row = c + N; float* out = row + 2;",
        "float* out = M > 2 ? c : b;", "float* out = c.data();"}) {
    EXPECT_EQ(Found(before, "out[j] = c[j - 1];"), both) << before;
  }
  EXPECT_EQ(Found("float& s = c[1];", "s += c[j];"), "`s` and `c` may be one");
  // It is the other that is written.
  EXPECT_EQ(Found("float* out = c;", "c[j] = out[0];"),
            "`c` and `out` may be one");
  EXPECT_EQ(Found("float* out = c;", "out[j] = Sum(c, j);"), both);
}

TEST(AliasesTest, NamesOfDifferentThingsAreNone) {
  EXPECT_EQ(Found("float* out = c + N; const float* x = a + N;",
                  "out[j] = x[j] * b[j];"),
            "");
  // One of two names is used, and two that nobody writes.
  EXPECT_EQ(Found("float* out = c;", "out[j] = out[j - 1];"), "");
  EXPECT_EQ(Found("const float* x = a;", "c[j] = x[j] + a[j];"), "");
  // What the loop declares is seen through by others.
  EXPECT_EQ(Found("", "float* out = c + j; out[0] = c[j];"), "");
  // Two that change places stay two.
  EXPECT_EQ(Found("float* from = a; float* to = c; std::swap(from, to);",
                  "to[j] = from[j - 1];"),
            "");
}

TEST(AliasesTest, NoLoopIsMovedThatUsesTwoNames) {
  const std::string statements =
      "  float* out = c;\n"
      "  for (int64_t j = 1; j < N; ++j) {\n"
      "    out[j] = c[j - 1] * expf(a[j]);\n"
      "  }\n";
  for (const char* label : {"parallel(j)", "jam(j, 4)", "simd(j)"}) {
    EXPECT_EQ(WhyNot(statements, label, Setting{2, {}, {}}),
              "`out` and `c` may be one")
        << label;
  }
  EXPECT_EQ(WhyNot(statements, "math(exp)"), "applies");
  EXPECT_EQ(WhyNot(statements, "restrict()"), "applies");
}

}  // namespace
}  // namespace coppice::agents::catalogue
