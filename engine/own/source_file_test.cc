#include "engine/own/source_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::engine::own {
namespace {

using testing::ElementsAre;

TEST(SourceFileTest, IsCutIntoWhatStandsAtItsTopLevel) {
  const auto pieces = CutSource(
      "// A comment.\n#include <math.h>\nextern \"C\" {\n"
      "static const int k[2] = {1, 2};\n"
      "struct Pair { int a, b; };\n"
      "static inline unsigned int f(const unsigned char *restrict x, int y[],"
      " float z[4][5]) { return x[0]; }\n}\n");
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].kind, PieceKind::kDirective);
  EXPECT_EQ(pieces[1].kind, PieceKind::kDeclaration);
  EXPECT_EQ(pieces[2].kind, PieceKind::kDeclaration);
  const Piece& function = pieces[3];
  EXPECT_EQ(function.name, "f");
  EXPECT_EQ(function.returns, "unsigned int");
  EXPECT_EQ(function.body, "return x[0];");
  ASSERT_EQ(function.parameters.size(), 3u);
  EXPECT_EQ(function.parameters[0].type, "unsigned char");
  EXPECT_TRUE(function.parameters[0].is_const);
  EXPECT_TRUE(function.parameters[1].is_pointer);
  EXPECT_THAT(function.parameters[1].dims, ElementsAre());
  EXPECT_THAT(function.parameters[2].dims, ElementsAre("4", "5"));
}

TEST(SourceFileTest, AnOldDefinitionIsReadAsANewOne) {
  const auto pieces =
      CutSource("float f(x, n) const float *x; int n; { return x[n]; }\n");
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].text, "float f(const float *x, int n) { return x[n]; }");
  ASSERT_EQ(pieces[0].parameters.size(), 2u);
  EXPECT_TRUE(pieces[0].parameters[0].is_pointer);
  EXPECT_EQ(pieces[0].parameters[1].type, "int");
}

TEST(SourceFileTest, ASignatureIsReadWithWhatItsMacrosStandFor) {
  const auto pieces = CutSource(
      "#define API __attribute__((cold))\n#define IN const float*\n"
      "namespace deep {\nAPI void f(IN x, int n) {}\n}\n");
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[2].name, "f");
  EXPECT_EQ(pieces[2].returns, "void");
  ASSERT_EQ(pieces[2].parameters.size(), 2u);
  EXPECT_EQ(pieces[2].parameters[0].type, "float");
  EXPECT_TRUE(pieces[2].parameters[0].is_const);
}

TEST(SourceFileTest, ReplacesTokensAndNothingElse) {
  EXPECT_EQ(Replaced("float a; // float\nfloats(\"float\");",
                     [](const TokenView& token, std::string& other) {
                       other = "double";
                       return token.text == "float";
                     }),
            "double a; // float\nfloats(\"float\");");
}

std::string TroubleOf(const std::string& parameter) {
  const auto pieces = CutSource("void f(" + parameter + ") {}");
  EXPECT_EQ(pieces.size(), 1u);
  return pieces[0].parameters.at(0).trouble;
}

TEST(SourceFileTest, WhatNoKernelIsCalledWithIsSaid) {
  EXPECT_EQ(TroubleOf("float** x"), "is a pointer to pointers: float** x");
  EXPECT_EQ(TroubleOf("float* x[4]"), "is a pointer to pointers: float* x[4]");
  EXPECT_EQ(TroubleOf("const Vec<float>& x"),
            "is no number and no pointer to numbers: const Vec<float>& x");
  EXPECT_EQ(TroubleOf("float (*f)(float)"),
            "is no number and no pointer to numbers: float (*f)(float)");
  EXPECT_EQ(TroubleOf("int n, ..."), "");
  EXPECT_EQ(TroubleOf("float"), "has no name: float");
  EXPECT_EQ(TroubleOf("const float* __restrict__ x"), "");
}

TEST(SourceFileTest, AParameterIsReadWithItsDimensions) {
  const auto pieces = CutSource(
      "void f(const unsigned long long n, float* const x, float y[],"
      " const float z[][M + 1]) {}");
  ASSERT_EQ(pieces.size(), 1u);
  const auto& parameters = pieces[0].parameters;
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0].type, "unsigned long long");
  EXPECT_FALSE(parameters[0].is_pointer);
  EXPECT_FALSE(parameters[1].is_const);  // The pointer is, and not its values.
  EXPECT_TRUE(parameters[2].is_pointer);
  EXPECT_THAT(parameters[2].dims, testing::IsEmpty());
  EXPECT_TRUE(parameters[3].is_const);
  EXPECT_THAT(parameters[3].dims, ElementsAre("", "M + 1"));
}

TEST(SourceFileTest, NothingIsAParameterOfVoid) {
  EXPECT_TRUE(CutSource("int f(void) { return 1; }")[0].parameters.empty());
  EXPECT_TRUE(CutSource("int f() { return 1; }")[0].parameters.empty());
}

TEST(SourceFileTest, WhatCanBeNoTaskIsSaid) {
  const auto trouble = [](const std::string& text) {
    return CutSource(text).back().trouble;
  };
  EXPECT_EQ(trouble("template <class T> void f(T* x) {}"), "is a template");
  EXPECT_EQ(trouble("void A::f(float* x) {}"),
            "is a member of a class or namespace");
  EXPECT_EQ(trouble("__global__ void f(float* x) {}"),
            "is CUDA; a task on a GPU is written by hand");
  EXPECT_EQ(trouble("template <class T> __global__ void f(T* x) {}"),
            "is a template");  // What is said first cannot be helped.
  EXPECT_EQ(trouble("[[nodiscard]] static inline int f(int n) { return n; }"),
            "");
}

// A function has its name, and each piece the names that it speaks of.
TEST(SourceFileTest, APieceKnowsTheNamesInIt) {
  const auto pieces = CutSource(
      "#define A b\nint c = A;\nvoid f(int n) { g(n); }\nstruct S { int d; };");
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_THAT(pieces[1].names, testing::IsSupersetOf({"int", "c", "A"}));
  EXPECT_THAT(pieces[2].names, testing::IsSupersetOf({"f", "n", "g"}));
  EXPECT_EQ(pieces[3].kind, PieceKind::kDeclaration);
}

TEST(SourceFileTest, SeveralOldParametersMayShareADeclaration) {
  const auto pieces =
      CutSource("float dot(n, x, y) float *x, *y; { return x[n] * y[n]; }");
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].text,
            "float dot(int n, float *x, float *y) { return x[n] * y[n]; }");
}

TEST(SourceFileTest, AnInitialiserIsNoFunction) {
  const auto pieces = CutSource("static int t[2] = {f(1), f(2)};\nint f(int);");
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].kind, PieceKind::kDeclaration);
  EXPECT_EQ(pieces[1].kind, PieceKind::kDeclaration);
}

TEST(SourceFileTest, ATextThatBreaksOffIsWhatItBeganWith) {
  for (const char* text :
       {"", "void f(", "void f(int n) {", "struct S {", "extern \"C\" {",
        "int f(a, b) int a;", "\"", "/*"}) {
    for (const Piece& piece : CutSource(text))
      EXPECT_NE(piece.text, "") << text;
  }
}

// So that a macro of the same name is not taken for it.
TEST(SourceFileTest, ANameMayStandInBrackets) {
  const auto pieces = CutSource("static void (scale)(int n, float *x) { n; }");
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].name, "scale");
  EXPECT_EQ(pieces[0].returns, "void");
  EXPECT_EQ(pieces[0].header, "static void");
  EXPECT_EQ(pieces[0].parameters.size(), 2u);
}

// A brace behind brackets is a function's only where a name is before them.
TEST(SourceFileTest, WithoutANameNothingIsAFunction) {
  for (const char* text :
       {"x)(y){}", ")(y){}", "(*f)(int n) {}", "(y){}", "(f x)(int n) {}"}) {
    for (const Piece& piece : CutSource(text)) {
      EXPECT_NE(piece.kind, PieceKind::kFunction) << text;
    }
  }
  EXPECT_EQ(CutSource("int (f)(int n) {}")[0].name, "f");
}

TEST(SourceFileTest, AttributesAreNoPartOfAFunction) {
  for (const char* attribute :
       {"__attribute__((noinline)) ", "__declspec(dllexport) ",
        "static inline ", "static inline __attribute__((always_inline)) "}) {
    const auto pieces = CutSource(
        attribute + std::string("int f(const int *x) { return *x; }"));
    ASSERT_EQ(pieces.size(), 1u) << attribute;
    EXPECT_EQ(pieces[0].name, "f");
    EXPECT_EQ(pieces[0].trouble, "");
    ASSERT_EQ(pieces[0].parameters.size(), 1u);
    EXPECT_EQ(pieces[0].parameters[0].type, "int");
  }
}

// Macros of which one stands for the other for ever.
TEST(SourceFileTest, MacrosThatStandForEachOtherEnd) {
  const auto pieces =
      CutSource("#define A B\n#define B A\n#define C C C\nA f(B x, C y) { }\n");
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[3].kind, PieceKind::kFunction);
  EXPECT_EQ(pieces[3].name, "f");
}

TEST(SourceFileTest, BracketsInTextsAndCommentsAreNone) {
  const auto pieces = CutSource(
      "const char* s = \"{(\";  // }{\nchar c = '{'; /* ( */\n"
      "void f(int n) { g(\"}\", '}'); /* } */ }\nint last;");
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[2].body, "g(\"}\", '}'); /* } */");
  EXPECT_EQ(pieces[3].text, "int last;");
}

}  // namespace
}  // namespace coppice::engine::own
