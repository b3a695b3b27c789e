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

// So that a macro of the same name is not taken for it.
TEST(SourceFileTest, ANameMayStandInBrackets) {
  const auto pieces = CutSource("static void (scale)(int n, float *x) { n; }");
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].name, "scale");
  EXPECT_EQ(pieces[0].returns, "void");
  EXPECT_EQ(pieces[0].header, "static void");
  EXPECT_EQ(pieces[0].parameters.size(), 2u);
}

}  // namespace
}  // namespace coppice::engine::own
