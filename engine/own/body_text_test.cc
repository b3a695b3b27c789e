#include "engine/own/body_text.h"

#include <gtest/gtest.h>

namespace coppice::engine::own {
namespace {

TEST(BodyTextTest, SubscriptsOfSeveralDimensionsBecomeOne) {
  EXPECT_EQ(PreparedBody("c[i][j] = 1;", {{"c", {"", "M"}}}),
            "c[(i) * (M) + j] = 1;");
  EXPECT_EQ(PreparedBody("c[i][j][k]++;", {{"c", {"N", "M", "4"}}}),
            "c[((i) * (M) + j) * (4) + k]++;");
}

// i + 1 times a row, and what is added stays one term.
TEST(BodyTextTest, SumsInSubscriptsAreBracketed) {
  EXPECT_EQ(PreparedBody("a[i + 1][j - 1] = 0;", {{"a", {"N", "M"}}}),
            "a[(i + 1) * (M) + (j - 1)] = 0;");
}

TEST(BodyTextTest, ASubscriptMayHoldAnotherArray) {
  EXPECT_EQ(PreparedBody("a[b[i][0]][j] = 0;",
                         {{"a", {"N", "M"}}, {"b", {"N", "2"}}}),
            "a[(b[(i) * (2) + 0]) * (M) + j] = 0;");
}

TEST(BodyTextTest, ARowIsAPointerToItsFirstElement) {
  EXPECT_EQ(PreparedBody("f(a[i], n);", {{"a", {"N", "M"}}}),
            "f((a + (i) * (M)), n);");
}

TEST(BodyTextTest, MembersAndOtherArraysAreLeftAlone) {
  EXPECT_EQ(PreparedBody("p.a[i][j] = q->a[i][j] + z[i];", {{"a", {"", "M"}}}),
            "p.a[i][j] = q->a[i][j] + z[i];");
}

TEST(BodyTextTest, VariablesOfLoopsAreDeclaredInThem) {
  EXPECT_EQ(PreparedBody("int i, j;\nfor (i = 0; i < n; i++) x[i] = 0;", {}),
            "int i, j;\nfor (int i = 0; i < n; i++) x[i] = 0;");
}

// What it counted to is asked for behind the loop.
TEST(BodyTextTest, AVariableThatOutlivesItsLoopStays) {
  const std::string body =
      "int i;\nfor (i = 0; i < n; i++) if (x[i] > 0) break;\ny[0] = i;";
  EXPECT_EQ(PreparedBody(body, {}), body);
}

// The braces around it are the loop's, however deep.
TEST(BodyTextTest, AVariableOfSeveralLoopsIsEachLoopsOwn) {
  EXPECT_EQ(PreparedBody("int i;\nfor (i = 0; i < n; i++) { x[i] = 0; }\n"
                         "for (i = 0; i < n; i++)\n  if (x[i] > 0) y[i] = 1;\n"
                         "  else y[i] = 2;",
                         {}),
            "int i;\nfor (int i = 0; i < n; i++) { x[i] = 0; }\n"
            "for (int i = 0; i < n; i++)\n  if (x[i] > 0) y[i] = 1;\n"
            "  else y[i] = 2;");
}

TEST(BodyTextTest, ALoopThatDeclaresItsVariableStays) {
  const std::string body = "for (int i = 0; i < n; ++i) x[i] = 0;";
  EXPECT_EQ(PreparedBody(body, {}), body);
}

// An expression of any operator stays one factor.
TEST(BodyTextTest, AConditionInASubscriptIsBracketed) {
  EXPECT_EQ(PreparedBody("a[i][j > 0 ? j : 0] = 0;", {{"a", {"N", "M"}}}),
            "a[(i) * (M) + (j > 0 ? j : 0)] = 0;");
}

TEST(BodyTextTest, RestrictIsWrittenAsInCpp) {
  EXPECT_EQ(PreparedBody("float *restrict p = x;", {}),
            "float *__restrict__ p = x;");
}

// Each of the arrays that a subscript holds is flattened by its own rows.
TEST(BodyTextTest, SubscriptsOfSubscriptsAreFlattenedInTurn) {
  EXPECT_EQ(
      PreparedBody("a[b[i][j]][c[k][0]] = b[0][a[1][2]];",
                   {{"a", {"", "M"}}, {"b", {"", "N"}}, {"c", {"", "2"}}}),
      "a[(b[(i) * (N) + j]) * (M) + (c[(k) * (2) + 0])] = "
      "b[(0) * (N) + (a[(1) * (M) + 2])];");
}

// A plane of three dimensions is a pointer, as a row of two is.
TEST(BodyTextTest, APartOfAnArrayPointsToItsFirstElement) {
  const Dimensions arrays = {{"a", {"", "M", "K"}}};
  EXPECT_EQ(PreparedBody("f(a[i]);", arrays), "f((a + (i) * (M) * (K)));");
  EXPECT_EQ(PreparedBody("f(a[i][j]);", arrays),
            "f((a + ((i) * (M) + j) * (K)));");
  EXPECT_EQ(PreparedBody("f(a);", arrays), "f(a);");
  EXPECT_EQ(PreparedBody("a[i][j][k][l];", arrays),
            "a[((i) * (M) + j) * (K) + k][l];");
}

// Behind "for (" nothing may come at all.
TEST(BodyTextTest, ALoopThatBreaksOffIsPreparedAsFarAsItGoes) {
  for (const char* body : {"for", "for (", "for (i", "for (;"}) {
    EXPECT_EQ(PreparedBody(body, {}), body);
  }
}

// Its name in a comment or a text is no array.
TEST(BodyTextTest, TextsAndCommentsAreNoCode) {
  const std::string body =
      "// a[i][j]\nputs(\"a[i][j] restrict\"); /* for (i = 0;;) */";
  EXPECT_EQ(PreparedBody(body, {{"a", {"", "M"}}}), body);
}

TEST(BodyTextTest, AVariableOfALoopWithinAnotherIsDeclaredInIt) {
  EXPECT_EQ(PreparedBody("int i, j;\nfor (i = 0; i < n; i++)\n"
                         "  for (j = 0; j < i; j++) x[i] += y[j];",
                         {}),
            "int i, j;\nfor (int i = 0; i < n; i++)\n"
            "  for (int j = 0; j < i; j++) x[i] += y[j];");
  // The first loop's count is where the second one goes on.
  const std::string body =
      "int i;\nfor (i = 0; i < m; i++) x[i] = 0;\n"
      "while (i < n) x[i++] = 1;";
  EXPECT_EQ(PreparedBody(body, {}), body);
}

}  // namespace
}  // namespace coppice::engine::own
