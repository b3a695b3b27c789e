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

}  // namespace
}  // namespace coppice::engine::own
