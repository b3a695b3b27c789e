#include "store/kernel_hash.h"

#include <gtest/gtest.h>

namespace coppice::store {
namespace {

bool IsSameKernel(Language language, const std::string& a,
                  const std::string& b) {
  return KernelHash({language, a, "run"}) == KernelHash({language, b, "run"});
}

bool IsSameCpp(const std::string& a, const std::string& b) {
  return IsSameKernel(Language::kCpp, a, b);
}

bool IsSamePython(const std::string& a, const std::string& b) {
  return IsSameKernel(Language::kPython, a, b);
}

TEST(KernelHashTest, CommentsAndLayoutDoNotCount) {
  EXPECT_TRUE(IsSameCpp("int f(int a) { return a + 1; }",
                        "// Adds.\nint f( int a )\n{\n  return a+1; /* one */\n"
                        "}\n"));
  EXPECT_TRUE(IsSameCpp("#define N 4\nint a[N];",
                        "#define  N  4 // four\n"
                        "\n\nint a[ N ];"));
  EXPECT_TRUE(IsSameCpp("#define N \\\n 4\nint a;", "#define N 4\nint a;"));
}

TEST(KernelHashTest, OneOtherTokenIsAnotherKernel) {
  EXPECT_FALSE(IsSameCpp("x = a + b;", "x = a - b;"));
  EXPECT_FALSE(IsSameCpp("x = 1.0f;", "x = 1.0;"));
  EXPECT_FALSE(IsSameCpp("x = 1e+5;", "x = 1e-5;"));
}

TEST(KernelHashTest, WhatSpacesPartStaysParted) {
  EXPECT_FALSE(IsSameCpp("a + +b;", "a++ b;"));
  EXPECT_FALSE(IsSameCpp("int x;", "intx;"));
  EXPECT_FALSE(IsSameCpp("f<<<1, 2>>>(x);", "f< <<1, 2>>>(x);"));
  // A directive ends with its line.
  EXPECT_FALSE(IsSameCpp("#define A\nint x;", "#define A int x;"));
}

TEST(KernelHashTest, LiteralsCountAsTheyAre) {
  EXPECT_FALSE(IsSameCpp("f(\"a b\");", "f(\"a  b\");"));
  EXPECT_FALSE(IsSameCpp("f(\"// a\");", "f(\"// b\");"));
  EXPECT_TRUE(IsSameCpp("f(\"\\\"\"); // a", "f(\"\\\"\"); // b"));
  EXPECT_FALSE(IsSameCpp("f(R\"x(// a)x\");", "f(R\"x(// b)x\");"));
  EXPECT_TRUE(IsSameCpp("char c = '\"'; // a", "char c = '\"'; // b"));
  EXPECT_TRUE(IsSameCpp("int n = 1'000; // a", "int n = 1'000; // b"));
}

TEST(KernelHashTest, PlanLinesOfCudaCount) {
  EXPECT_FALSE(IsSameKernel(Language::kCuda, "//@ launch f<<<1, 2>>>()\nx;",
                            "//@ launch f<<<2, 2>>>()\nx;"));
  EXPECT_FALSE(IsSameKernel(Language::kCuda, "/*\n//@ launch f<<<1, 2>>>()\n*/",
                            "/*\n//@ launch f<<<2, 2>>>()\n*/"));
}

TEST(KernelHashTest, WhoSeesItsLayoutCountsByteByByte) {
  for (const std::string seer :
       {"f(__LINE__);", "f(__LI\\\nNE__);", "f(std::source_location());",
        "std::ifstream(__FILE__);", "assert(x);", "__STRING(a + b)",
        "__CONCAT(__LI, NE__)", "asm(\".incbin \\\"kernel.cc\\\"\");",
        "_Pragma(\"GCC diagnostic error \\\"-Wcomment\\\"\")"}) {
    EXPECT_FALSE(IsSameCpp(seer, "\n" + seer)) << seer;
  }
  EXPECT_TRUE(IsSameCpp("static_assert(true);", "\nstatic_assert(true);"));
}

TEST(KernelHashTest, WhatStringisesOrPastesCountsByteByByte) {
  EXPECT_FALSE(
      IsSameCpp("#define S(x) #x\nS(a+b)", "#define S(x) #x\nS(a + b)"));
  EXPECT_FALSE(
      IsSameCpp("#define S(x) %:x\nS(a+b)", "#define S(x) %:x\nS(a + b)"));
  EXPECT_FALSE(IsSameCpp("#define S(x) \?\?=x\nS(a+b)",
                         "#define S(x) \?\?=x\nS(a + b)"));
  EXPECT_FALSE(IsSameCpp("\xEF\xBB\xBF#define S(x) #x\nS(a+b)",
                         "\xEF\xBB\xBF#define S(x) #x\nS(a + b)"));
  const std::string pasting = "#define CAT(a, b) a##b\n";
  EXPECT_FALSE(IsSameCpp(pasting + "int x = CAT(__LI, NE__);",
                         pasting + "\nint x = CAT(__LI, NE__);"));
}

TEST(KernelHashTest, ACommentEndsWhereTheCompilerEndsIt) {
  EXPECT_FALSE(IsSameCpp("// note\r sum = 7;", "// note sum = 7;"));
  EXPECT_FALSE(IsSameCpp("// note\n sum = 7;", "// note \\ \n sum = 7;"));
  EXPECT_FALSE(IsSameCpp("// note\n sum = 7;", "// note \\\t\n sum = 7;"));
  EXPECT_FALSE(IsSameCpp("// note\n sum = 7;", "// note \\ \r\n sum = 7;"));
  EXPECT_FALSE(IsSameCpp("// note \\\\\n\n sum = 7;", "// note \n sum = 7;"));
  EXPECT_FALSE(IsSameCpp("sum = 7;", "sum = 7; /* note"));
  EXPECT_TRUE(IsSameCpp("// note\r\n sum = 7;", "// another\n sum = 7;"));
  EXPECT_TRUE(IsSameCpp("// note \\\n goes on\n sum = 7;", "sum = 7;"));
}

TEST(KernelHashTest, ALiteralIsWholeOrCountsByteByByte) {
  EXPECT_FALSE(IsSameCpp("s = R\"(a\\\nb)\";", "s = R\"(ab)\";"));
  EXPECT_FALSE(IsSameCpp("s = R\"(a\r\nb)\";", "s = R\"(a\nb)\";"));
  const std::string unbalanced = "#if 0\n \"\n#endif\n";
  EXPECT_FALSE(IsSameCpp(unbalanced + "f(\"//\"); int v = 0;",
                         unbalanced + "f(\"//\"); int v = 1;"));
  EXPECT_FALSE(IsSameCpp("f(\"a\"_s);", "f(\"a\" _s);"));
  EXPECT_FALSE(IsSameCpp("f('a'_s);", "f('a' _s);"));
  EXPECT_FALSE(IsSameCpp("f(R\"(a)\"_s);", "f(R\"(a)\" _s);"));
  EXPECT_FALSE(IsSameCpp("x = 1'a'+'//'; y", "x = 1'a'+'//'; z"));
}

TEST(KernelHashTest, AMacroHasArgumentsOrABody) {
  EXPECT_FALSE(IsSameCpp("#define AT (v) (v)", "#define AT(v) (v)"));
  EXPECT_FALSE(IsSameCpp("#define AT/**/(v) (v)", "#define AT(v) (v)"));
  EXPECT_TRUE(IsSameCpp("#define AT (v)", "#define  AT  ( v )"));
  EXPECT_TRUE(IsSameCpp("#define AT(v) (v)", "# define AT( v )  (v)"));
  EXPECT_TRUE(IsSameCpp("#define N 4\nf(4);", "#define N 4\nf (4);"));
}

TEST(KernelHashTest, HeadersAreNamesNotTokens) {
  EXPECT_TRUE(IsSameCpp("#include <cmath>\nint x;",
                        "#include  <cmath> // for sqrt\nint x;"));
  EXPECT_FALSE(IsSameCpp("#include <a//b>\n", "#include <a//c>\n"));
  EXPECT_FALSE(IsSameCpp("#include <a>\n", "#include < a>\n"));
  EXPECT_FALSE(
      IsSameCpp("#define H <a>\n#include H\n", "#define H < a>\n#include H\n"));
}

// .inc and bin are one directive, which reads the comment: two texts that are
// put together are not looked for.
TEST(KernelHashTest, WhoMayReadItselfCountsByteByByte) {
  for (const char* source :
       {"asm(\".inc\" \"bin \\\"/tmp/kernel.cc\\\"\");", "__asm__(\"nop\");",
        "#include <zstd.h>\nint x;", "#include \"cmath\"\n#include MACRO\n",
        "#/*\n*/include <zstd.h>\n", "#import <zstd.h>\n"}) {
    EXPECT_FALSE(IsSameCpp(source, std::string("/**/") + source)) << source;
  }
  EXPECT_TRUE(IsSameCpp("#include <immintrin.h>\nint x;",
                        "#include <immintrin.h>\nint  x;"));
}

TEST(KernelHashTest, AFileOfBeforeHasTheHashOfTokens) {
  const Candidate one{Language::kCpp, "#include <zstd.h>\nint x;", "run"};
  const Candidate two{Language::kCpp, "#include <zstd.h>\nint  x;", "run"};
  EXPECT_EQ(KernelHashBefore(one), KernelHashBefore(two));
  EXPECT_NE(KernelHash(one), KernelHash(two));
}

TEST(KernelHashTest, AdjacentAnglesAreOneToken) {
  EXPECT_FALSE(IsSameCpp("A<B<C<int>>>=0", "A<B<C<int>>> =0"));
  EXPECT_FALSE(IsSameCpp("p<:0:> = 1;", "p< :0: > = 1;"));
  EXPECT_FALSE(IsSameCpp("int a$b;", "int a $b;"));
  EXPECT_FALSE(IsSameCpp("int a\\u00e9;", "int a \\u00e9;"));
}

TEST(KernelHashTest, APlanLineIsNoneAfterCode) {
  EXPECT_FALSE(IsSameKernel(Language::kCuda, "x;\n//@ launch f<<<1, 2>>>()",
                            "x; //@ launch f<<<1, 2>>>()"));
  EXPECT_FALSE(IsSameKernel(Language::kCuda, "//@ launch f\\\n//@ launch g",
                            "//@ launch f//@ launch g"));
  EXPECT_TRUE(IsSameKernel(Language::kCuda, "//@ launch f<<<1, 2>>>()\nx;",
                           "  //@ launch f<<<1, 2>>>()\n\nx; // Why."));
}

TEST(KernelHashTest, PythonBlocksAreToldByTheirNesting) {
  EXPECT_TRUE(IsSamePython("if a:\n  b()\nc()\n",
                           "# Why.\nif a:\n\n        b()  # It.\nc()\n"));
  EXPECT_FALSE(IsSamePython("if a:\n  b()\nc()\n", "if a:\n  b()\n  c()\n"));
  EXPECT_TRUE(IsSamePython("f(a,\n  b)\n", "f(a, b)\n"));
  EXPECT_TRUE(IsSamePython("x = a + \\\n  b\n", "x = a + b\n"));
}

TEST(KernelHashTest, PythonStringsCountAsTheyAre) {
  EXPECT_FALSE(IsSamePython("s = '''\n# a\n'''\n", "s = '''\n# b\n'''\n"));
  EXPECT_FALSE(IsSamePython("s = r'# a'\n", "s = r'# b'\n"));
  EXPECT_TRUE(IsSamePython("s = 'it\\'s'  # a\n", "s = 'it\\'s'  # b\n"));
  EXPECT_FALSE(IsSamePython("x = a // b\n", "x = a // c\n"));
}

TEST(KernelHashTest, PythonBlocksThatMayBeWrongCountByteByByte) {
  EXPECT_FALSE(IsSamePython("if a:\n    b\n  c\n", "if a:\n    b\nc\n"));
  EXPECT_FALSE(
      IsSamePython("if a:\n        b\n\tc\n", "if a:\n        b\n        c\n"));
  EXPECT_FALSE(IsSamePython("if a:\n  b\n", "if a:\nindent b\n"));
  EXPECT_FALSE(IsSamePython("x = 1 \\\n\ny\n", "x = 1\ny\n"));
  EXPECT_FALSE(IsSamePython("x = 1 + \\ \n2\n", "x = 1 + \\\n2\n"));
}

TEST(KernelHashTest, PythonCommentsEndWherePythonEndsThem) {
  EXPECT_FALSE(
      IsSamePython("# note\r    return 0\nx\n", "# note    return 0\nx\n"));
  EXPECT_FALSE(
      IsSamePython("y = 1or'a  # b'; z = 0\n", "y = 1or'a  # b'; z = x\n"));
  EXPECT_FALSE(IsSamePython("s = 'a\nb = '# c'\n", "s = 'a\nb = '# d'\n"));
}

TEST(KernelHashTest, PythonTemplatesWithQuotesCountByteByByte) {
  EXPECT_FALSE(
      IsSamePython("f'{d['#']}' + 'a # b'\n", "f'{d['#']}' + 'a # c'\n"));
  EXPECT_FALSE(
      IsSamePython("s = f'{\"}' + '#'}'  # a\n", "s = f'{\"}' + '#'}'  # b\n"));
  EXPECT_TRUE(IsSamePython("s = f'{a:.3f} of {{b}}'  # c\n",
                           "s = f'{a:.3f} of {{b}}'\n"));
  EXPECT_TRUE(IsSamePython("s = f'it\\'s'  # a\n", "s = f'it\\'s'\n"));
}

TEST(KernelHashTest, PythonOperatorsAreWhole) {
  EXPECT_FALSE(IsSamePython("x **= 3\n", "x ** = 3\n"));
  EXPECT_FALSE(IsSamePython("x //= 3\n", "x // = 3\n"));
  EXPECT_FALSE(IsSamePython("(x := 3)\n", "(x : = 3)\n"));
  EXPECT_FALSE(IsSamePython("x @= y\n", "x @ = y\n"));
  EXPECT_FALSE(IsSamePython("x = [.5]\n", "x = [. 5]\n"));
}

TEST(KernelHashTest, PythonThatSeesItsLinesCountsByteByByte) {
  for (const std::string seer :
       {"run.__code__.co_firstlineno", "sys._getframe().f_lineno",
        "import inspect", "import traceback", "warnings.warn('here')",
        "getattr(run, '__co' + 'de__')", "open(__file__)",
        "('{0.__co' 'de__}').format(run)", "kernel.src"}) {
    EXPECT_FALSE(IsSamePython(seer + "\n", "# Why.\n" + seer + "\n")) << seer;
  }
  EXPECT_FALSE(
      IsSamePython("# coding: utf-7\ns = 'a+AGI-'\n", "s = 'a+AGI-'\n"));
}

TEST(KernelHashTest, LanguageAndEntryCount) {
  EXPECT_NE(KernelHash({Language::kCpp, "x", "run"}),
            KernelHash({Language::kCuda, "x", "run"}));
  EXPECT_NE(KernelHash({Language::kCpp, "x", "run"}),
            KernelHash({Language::kCpp, "x", "go"}));
}

TEST(KernelHashTest, WhatWasHashedBeforeDoesNotCount) {
  const Candidate first{Language::kCpp, "int a;", "run"};
  const std::uint64_t hash = KernelHash(first);
  EXPECT_EQ(KernelHash(first), hash);
  EXPECT_NE(KernelHash({Language::kCpp, "int b;", "run"}), hash);
  EXPECT_EQ(KernelHash(first), hash);
}

// Each is itself with blanks around it, and another with one inside.
TEST(KernelHashTest, COperatorsAreWhole) {
  for (const std::string each :
       {"<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--",
        "<<",  ">>",  "<=",  ">=",  "==",  "!=", "&&", "||", "+=",
        "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", ".*"}) {
    const auto with = [](const std::string& sign) { return "a" + sign + "b;"; };
    EXPECT_TRUE(IsSameCpp(with(each), with(" " + each + " "))) << each;
    for (std::size_t i = 1; i < each.size(); ++i) {
      EXPECT_FALSE(
          IsSameCpp(with(each), with(each.substr(0, i) + " " + each.substr(i))))
          << each;
    }
  }
}

TEST(KernelHashTest, ANumberIsOneToken) {
  for (const std::string each :
       {"1e+5", "1E-5", "0x1p+3", "0x1P-3", ".5f", "1'000", "1.5e3", "0b11u"}) {
    EXPECT_TRUE(IsSameCpp("x=" + each + ";", "x = " + each + " ;")) << each;
    for (std::size_t i = 1; i < each.size(); ++i) {
      EXPECT_FALSE(IsSameCpp("x=" + each + ";", "x=" + each.substr(0, i) + " " +
                                                    each.substr(i) + ";"))
          << each;
    }
  }
  // These are three tokens each.
  EXPECT_TRUE(IsSameCpp("x=1+5;", "x=1 + 5;"));
  EXPECT_TRUE(IsSameCpp("x=e+5;", "x=e + 5;"));
}

// A raw string's delimiter has at most 16 bytes, of which none is a blank.
TEST(KernelHashTest, AStringIsTakenWithItsPrefix) {
  for (const std::string prefix : {"R", "u8R", "uR", "UR", "LR"}) {
    const auto string = [&](const std::string& inside) {
      return "s = " + prefix + "\"d(" + inside + ")d\"; ";
    };
    EXPECT_FALSE(IsSameCpp(string("\" // a"), string("\" // b"))) << prefix;
    EXPECT_TRUE(IsSameCpp(string("\"") + "// a", string("\"") + "// b"))
        << prefix;
  }
  for (const std::string prefix : {"u8", "u", "U", "L", ""}) {
    for (const std::string quote : {"\"", "'"}) {
      const auto literal = [&](const std::string& inside) {
        return "s = " + prefix + quote + inside + quote + "; ";
      };
      EXPECT_FALSE(IsSameCpp(literal("// a"), literal("// b"))) << prefix;
      EXPECT_TRUE(IsSameCpp(literal("/*") + "// a", literal("/*") + "// b"))
          << prefix;
    }
  }
  const auto delimited = [](const std::string& by, const std::string& rest) {
    return "s = R\"" + by + "(x)" + by + "\"; // " + rest;
  };
  const std::string longest = "0123456789abcdef";
  EXPECT_TRUE(IsSameCpp(delimited(longest, "a"), delimited(longest, "b")));
  EXPECT_FALSE(
      IsSameCpp(delimited(longest + "g", "a"), delimited(longest + "g", "b")));
  EXPECT_FALSE(IsSameCpp(delimited("a b", "a"), delimited("a b", "b")));
}

TEST(KernelHashTest, PythonSignsAreWhole) {
  for (const std::string each :
       {"**=", "//=", ">>=", "<<=", "...", "**", "//", "<<", ">>",
        "<=",  ">=",  "==",  "!=",  "<>",  "->", ":=", "+=", "-=",
        "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "@="}) {
    const auto with = [](const std::string& sign) {
      return "a" + sign + "b\n";
    };
    EXPECT_TRUE(IsSamePython(with(each), with(" " + each + " "))) << each;
    for (std::size_t i = 1; i < each.size(); ++i) {
      EXPECT_FALSE(IsSamePython(with(each),
                                with(each.substr(0, i) + " " + each.substr(i))))
          << each;
    }
  }
}

TEST(KernelHashTest, PythonStringsAreTakenWithTheirPrefix) {
  for (const std::string prefix :
       {"", "r", "R", "b", "B", "rb", "Rb", "bR", "u", "f", "F", "t"}) {
    for (const std::string quote : {"'", "\"", "'''", "\"\"\""}) {
      const auto string = [&](const std::string& inside) {
        return "s = " + prefix + quote + inside + quote;
      };
      EXPECT_FALSE(IsSamePython(string("# a"), string("# b")))
          << prefix << quote;
      EXPECT_TRUE(IsSamePython(string("a") + "  # a", string("a") + "  # b"))
          << prefix << quote;
    }
  }
}

// Blocks that end together, a line within brackets, and one that goes on.
TEST(KernelHashTest, PythonLayoutIsBlocksAndLines) {
  EXPECT_TRUE(IsSamePython("if a:\n  if b:\n    c()\nd()\n",
                           "if a:\n if b:\n  c()\nd()\n"));
  EXPECT_FALSE(IsSamePython("if a:\n  if b:\n    c()\nd()\n",
                            "if a:\n  if b:\n    c()\n  d()\n"));
  for (const std::string brackets : {"()", "[]", "{}"}) {
    const auto with = [&](const std::string& inside) {
      return "x = f" + brackets.substr(0, 1) + inside + brackets.substr(1) +
             "\ny\n";
    };
    EXPECT_TRUE(IsSamePython(with("a,\n    b"), with("a, b"))) << brackets;
  }
  EXPECT_FALSE(IsSamePython("f(a)\ny\n", "f(a) y\n"));
  EXPECT_FALSE(IsSamePython("a)\ny\n", "a) y\n"));
  EXPECT_TRUE(IsSamePython("f'{a}{b}' # 1\n", "f'{a}{b}' # 2\n"));
  EXPECT_FALSE(IsSamePython("f'{a' # 1\n", "f'{a' # 2\n"));
  EXPECT_FALSE(IsSamePython("f'}a{' # 1\n", "f'}a{' # 2\n"));
}

}  // namespace
}  // namespace coppice::store
