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
  EXPECT_TRUE(IsSameCpp("#include <sys/mman.h>\nint x;",
                        "#include  <sys/mman.h> // for mmap\nint x;"));
  EXPECT_FALSE(IsSameCpp("#include <a//b>\n", "#include <a//c>\n"));
  EXPECT_FALSE(IsSameCpp("#include <a>\n", "#include < a>\n"));
  EXPECT_FALSE(
      IsSameCpp("#define H <a>\n#include H\n", "#define H < a>\n#include H\n"));
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

}  // namespace
}  // namespace coppice::store
