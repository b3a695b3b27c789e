#include "store/c_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace coppice::store {
namespace {

// "a|b", and "by bytes" of a source that is not cut into tokens.
std::string CutC(std::string_view source) {
  std::string tokens = TokensOfC(source).value_or("by bytes\n");
  std::ranges::replace(tokens, '\n', '|');
  return tokens.substr(0, tokens.size() - 1);
}

TEST(CTokensTest, ASourceIsItsTokens) {
  const struct {
    std::string_view source;
    std::string_view tokens;
  } cases[] = {
      {"int f(int a) { return a+1; }", "int|f|(|int|a|)|{|return|a|+|1|;|}"},
      {"a /* b */ c // d\n e", "a|c|e"},
      {"x\t=\t1'000.5e-3f;", "x|=|1'000.5e-3f|;"},
      {"p->*q <=> r", "p|->*|q|<=>|r"},
      {"f<<<1, 2>>>(x)", "f|<<<|1|,|2|>>>|(|x|)"},
      {"u8\"a b\" L'c' \"\\\"\"_s", "u8\"a b\"|L'c'|\"\\\"\"_s"},
      {"R\"x(a)\" // )x\" b", "R\"x(a)\" // )x\"|b"},
      {"a\\\nb", "ab"},
      {"_x1 $y", "_x1|$y"},
  };
  for (const auto& [source, tokens] : cases) {
    EXPECT_EQ(CutC(source), tokens) << source;
  }
}

// The end of its line is a token of a directive's, and where the body of a
// macro begins with a bracket that is told from its arguments.
TEST(CTokensTest, ADirectiveEndsWithItsLine) {
  const struct {
    std::string_view source;
    std::string_view tokens;
  } cases[] = {
      {"#define N 4\nint a;", "#|define|N|4|end of line|int|a|;"},
      {"# define N \\\n 4\nb", "#|define|N|4|end of line|b"},
      {"#define F(x) x\n", "#|define|F|(|x|)|x|end of line"},
      {"#define F (x)\n", "#|define|F|not of arguments|(|x|)|end of line"},
      {"#include <a/b.h>\n", "#|include|<|a|/|b|.|h|>|end of line"},
      {"#include \"b.h\"\n", "#|include|\"b.h\"|end of line"},
      {"a;\n#pragma omp simd\nb;", "a|;|#|pragma|omp|simd|end of line|b|;"},
      {"a\nb", "a|b"},
  };
  for (const auto& [source, tokens] : cases) {
    EXPECT_EQ(CutC(source), tokens) << source;
  }
}

TEST(CTokensTest, LaunchPlansAreTokensOfTheirOwn) {
  EXPECT_EQ(CutC("//@ launch f  <<<1>>>()\nx; // y"),
            "//@ launch f  <<<1>>>()|x|;");
  EXPECT_EQ(CutC("/*\n//@ n = 1\n*/ x;"), "/*|//@ n = 1||x|;");
  EXPECT_EQ(CutC("x; //@ late"), "by bytes");
}

// What a compiler may take in another way than here, or that sees its layout.
TEST(CTokensTest, WhatCouldBeCutInAnotherWayIsNotCut) {
  for (const std::string_view source : {"\xEF\xBB\xBFint a;",
                                        "int\va;",
                                        "int a\r;",
                                        "a\\ \nb",
                                        "a\\\\\nb",
                                        "R\"(a\\\nb)\"",
                                        "a ## b",
                                        "a ?\?= b",
                                        "%:define A",
                                        "<% a %>",
                                        "f(__LINE__)",
                                        "assert(a)",
                                        "#pragma GCC diagnostic ignored \"a\"",
                                        "/* a",
                                        "\"a",
                                        "'a\n'",
                                        "R\"(a",
                                        "R\"a b(c)a b\"",
                                        "\\u00e9 = 1",
                                        "#define F(x) #x",
                                        "#include NAME\n",
                                        "#include <a//b>\n",
                                        "#include <a",
                                        "#embed <a>\n",
                                        "1\"a\"",
                                        "\xC3\xA9\"a\"",
                                        "#define A R\"(a\nb)\"\n"}) {
    EXPECT_EQ(CutC(source), "by bytes") << source;
  }
}

TEST(CTokensTest, WhoIncludesOnlyWhatIsKnownDoesNotReadItself) {
  for (const std::string_view source :
       {"int a;", "#include <cmath>\n", "#include <immintrin.h>\nint a;",
        "#include \"cuda_fp16.h\"\n", "#  include   <vector>\n",
        "#incl\\\nude <vector>\n", "int important;"}) {
    EXPECT_FALSE(MayReadItself(source)) << source;
  }
  for (const std::string_view source :
       {"#include \"kernel.cc\"\n", "#include <cmath> <a>\n#include <my.h>\n",
        "#include NAME\n", "#include <vector\n", "#incl\\\nude \"kernel.cc\"\n",
        "import a;", "asm(\"\");", "__asm__ volatile (\"\");",
        "#include_next <cmath>\n"}) {
    EXPECT_TRUE(MayReadItself(source)) << source;
  }
}

}  // namespace
}  // namespace coppice::store
