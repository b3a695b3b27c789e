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
  EXPECT_FALSE(IsSameCpp("f(__LINE__);", "\nf(__LINE__);"));
  EXPECT_FALSE(
      IsSameCpp("#define S(x) #x\nS(a+b)", "#define S(x) #x\nS(a + b)"));
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

TEST(KernelHashTest, LanguageAndEntryCount) {
  EXPECT_NE(KernelHash({Language::kCpp, "x", "run"}),
            KernelHash({Language::kCuda, "x", "run"}));
  EXPECT_NE(KernelHash({Language::kCpp, "x", "run"}),
            KernelHash({Language::kCpp, "x", "go"}));
}

}  // namespace
}  // namespace coppice::store
