#include "store/python_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace coppice::store {
namespace {

// "a|b", and "by bytes" of a source that is not cut into tokens.
std::string CutPython(std::string_view source) {
  std::string tokens = TokensOfPython(source).value_or("by bytes\n");
  std::ranges::replace(tokens, '\n', '|');
  return tokens.substr(0, tokens.size() - 1);
}

TEST(PythonTokensTest, ALineIsItsTokensAndItsEnd) {
  const struct {
    std::string_view source;
    std::string_view tokens;
  } cases[] = {
      {"x = a+1  # b\n", "x|=|a|+|1|end of line"},
      {"a **= b // c\n", "a|**=|b|//|c|end of line"},
      {"f(a,\n  b)\n", "f|(|a|,|b|)|end of line"},
      {"a = [1, # one\n 2]\n", "a|=|[|1|,|2|]|end of line"},
      {"a = b + \\\n  c\n", "a|=|b|+|c|end of line"},
      {"\n# a\n\nb\n\n", "b|end of line"},
      {"rb'a\\'b' \"\"\"c\nd\"\"\"\n", "rb'a\\'b'|\"\"\"c|d\"\"\"|end of line"},
      {"1e-3 0x1f .5j\n", "1e-3|0x1f|.5j|end of line"},
      {"@jit\n", "@|jit|end of line"},
  };
  for (const auto& [source, tokens] : cases) {
    EXPECT_EQ(CutPython(source), tokens) << source;
  }
}

TEST(PythonTokensTest, BlocksBeginAndEndWithTheirIndentation) {
  EXPECT_EQ(CutPython("if a:\n   b\nc\n"),
            "if|a|:|end of line|more indented|b|end of line|less indented|c|"
            "end of line");
  EXPECT_EQ(CutPython("if a:\n if b:\n  c\nd"),
            "if|a|:|end of line|more indented|if|b|:|end of line|"
            "more indented|c|end of line|less indented|less indented|d");
  // Neither an empty line nor a comment is of a block.
  EXPECT_EQ(CutPython("if a:\n b\n\n  # c\n\n d\n"),
            "if|a|:|end of line|more indented|b|end of line|d|end of line");
  EXPECT_EQ(CutPython("if a:\n  b\n c\n"), "by bytes");
}

TEST(PythonTokensTest, ATemplateIsCutIfNothingWithinItIsQuoted) {
  EXPECT_EQ(CutPython("f'{a} {b:>{c}}'\n"), "f'{a} {b:>{c}}'|end of line");
  EXPECT_EQ(CutPython("'{\"'\n"), "'{\"'|end of line");
  for (const std::string_view source :
       {"f'{a[\"b\"]}'\n", "f'{a'\n", "F'a}'\n", "t'{a#}'\n", "rf'{\\}'\n"}) {
    EXPECT_EQ(CutPython(source), "by bytes") << source;
  }
}

// What Python may take in another way than here, or that sees its lines.
TEST(PythonTokensTest, WhatCouldBeCutInAnotherWayIsNotCut) {
  for (const std::string_view source : {"a\tb\n",
                                        "a\r\n",
                                        "a\f\n",
                                        "\x7f\n",
                                        "\xEF\xBB\xBF"
                                        "a\n",
                                        "# coding: latin-1\na\n",
                                        "\n# -*- encoding: x -*-\na\n",
                                        "'a\n",
                                        "'''a\n",
                                        "1or''\n",
                                        "x''\n",
                                        "\\\na\n",
                                        "a \\\n\n",
                                        "a \\ \nb\n",
                                        "a \\\n# b\n",
                                        "eval('a')\n",
                                        "f = open\n",
                                        "sys.a\n",
                                        "a.__file__\n",
                                        "inspect.a\n",
                                        "getattr(a, b)\n",
                                        "co.co_lnotab\n"}) {
    EXPECT_EQ(CutPython(source), "by bytes") << source;
  }
  // Words within others, and encodings that come too late.
  for (const std::string_view source :
       {"evaluate\n", "opening\n", "a\nb\n# coding: latin-1\n",
        "format_of\n"}) {
    EXPECT_NE(CutPython(source), "by bytes") << source;
  }
}

}  // namespace
}  // namespace coppice::store
