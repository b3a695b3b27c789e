#include "engine/own/array_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"
#include "agents/catalogue/range.h"

namespace coppice::engine::own {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using Texts = std::vector<std::string>;

ArraySizes SizesIn(const std::string& body,
                   const std::set<std::string>& sizes = {"m", "n", "lda"}) {
  return ArraySizesOf(agents::catalogue::ParseStmts(body),
                      {"x", "y", "at", "ptr"}, sizes, {});
}

// "?": it cannot be told.
Texts Dims(const ArraySizes& sizes, const std::string& array) {
  const auto found = sizes.dims.find(array);
  if (found == sizes.dims.end()) return {"?"};
  Texts texts;
  for (const agents::catalogue::Poly& dim : found->second) {
    texts.push_back(agents::catalogue::Print(agents::catalogue::ToExpr(dim)));
  }
  return texts;
}

TEST(ArraySizesTest, AnArrayIsAsLongAsItsLoopGoes) {
  const ArraySizes sizes = SizesIn("for (int i = 0; i < n; ++i) y[i] = x[i];");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("n"));
  EXPECT_THAT(Dims(sizes, "x"), ElementsAre("n"));
  EXPECT_EQ(Dims(sizes, "at"), Texts{"?"});  // Nothing uses it.
  EXPECT_EQ(sizes.depth, 1);
}

// The subscript of the larger stride is the row.
TEST(ArraySizesTest, StridesTellTheDimensions) {
  const ArraySizes sizes = SizesIn(
      "for (int i = 0; i < m; ++i)\n"
      "  for (int j = 0; j < n; ++j) y[i * n + j] = x[j * m + i];");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("m", "n"));
  EXPECT_THAT(Dims(sizes, "x"), ElementsAre("n", "m"));
  EXPECT_EQ(sizes.depth, 2);
}

// Pairs: the last that is written is 2 (n - 1) + 1, the last that is read one
// less, which leaves the end of the last pair alone.
TEST(ArraySizesTest, ElementsMayBePairs) {
  const ArraySizes sizes =
      SizesIn("for (int i = 0; i < n; ++i) y[2 * i + 1] = x[2 * i];");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("n", "2"));
  EXPECT_THAT(Dims(sizes, "x"), ElementsAre("n", "2"));
}

// From 0 to n - 1, though the loop goes from 1 to n - 2.
TEST(ArraySizesTest, ANeighbourIsPartOfTheArray) {
  const ArraySizes sizes =
      SizesIn("for (int i = 1; i < n - 1; ++i) y[i] = x[i - 1] + x[i + 1];");
  EXPECT_THAT(Dims(sizes, "x"), ElementsAre("n"));
}

TEST(ArraySizesTest, OfSeveralUsesTheWidestCounts) {
  const ArraySizes sizes =
      SizesIn("y[0] = 0;\nfor (int i = 0; i < n; ++i) y[i + m] = x[i];");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("m + n"));
}

TEST(ArraySizesTest, ARowMayBeLongerThanWhatIsUsedOfIt) {
  const ArraySizes sizes = SizesIn(
      "for (int i = 0; i < m; ++i)\n"
      "  for (int j = 0; j < n; ++j) y[i * lda + j] = 0;");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("m", "lda"));
  ASSERT_TRUE(sizes.used.contains("lda"));
  EXPECT_EQ(
      agents::catalogue::Print(agents::catalogue::ToExpr(sizes.used.at("lda"))),
      "n");
}

TEST(ArraySizesTest, SubscriptsThatAreElementsAreKnown) {
  const ArraySizes sizes =
      SizesIn("for (int i = 0; i < n; ++i) y[i] = x[at[i]];");
  EXPECT_THAT(sizes.index_of, ElementsAre(Pair("at", "x")));
  EXPECT_THAT(Dims(sizes, "at"), ElementsAre("n"));
  EXPECT_EQ(Dims(sizes, "x"), Texts{"?"});
  // By a name of its own it is the same.
  const ArraySizes named = SizesIn(
      "for (int i = 0; i < n; ++i) { const int k = at[i]; y[i] = x[k]; }");
  EXPECT_THAT(named.index_of, ElementsAre(Pair("at", "x")));
}

TEST(ArraySizesTest, NeighboursThatALoopGoesBetweenAreEndsOfRows) {
  const char* body =
      "for (int r = 0; r < n; ++r)\n"
      "  for (int e = ptr[r]; e < ptr[r + 1]; ++e) y[r] += x[e];";
  const ArraySizes sizes = SizesIn(body);
  EXPECT_THAT(sizes.row_ends, ElementsAre(Pair("ptr", "ptr_end")));
  EXPECT_THAT(Dims(sizes, "x"), ElementsAre("ptr_end"));
  EXPECT_THAT(Dims(sizes, "ptr"), ElementsAre("n + 1"));
  // Where the function is given how many there are, by that.
  const ArraySizes given = SizesIn(body, {"n", "nnz"});
  EXPECT_THAT(Dims(given, "x"), ElementsAre("nnz"));
}

TEST(ArraySizesTest, ALocalNameStandsForWhatItIsUnlessItChanges) {
  const ArraySizes sizes = SizesIn(
      "for (int i = 0; i < m; ++i) {\n"
      "  int row = i * n;\n"
      "  for (int j = 0; j < n; ++j) y[row + j] = 1;\n}");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("m", "n"));
  const ArraySizes changing = SizesIn(
      "int k = 0;\n"
      "for (int i = 0; i < n; ++i) { y[k] = 1; k += 2; }");
  EXPECT_EQ(Dims(changing, "y"), Texts{"?"});
}

TEST(ArraySizesTest, APointerIntoAnArrayIsAPlaceInIt) {
  for (const char* row :
       {"float* row = y + i * n;", "float* row = &y[i * n];"}) {
    const ArraySizes sizes =
        SizesIn("for (int i = 0; i < m; ++i) {\n  " + std::string(row) +
                "\n  for (int j = 0; j < n; ++j) row[j] = 1;\n}");
    EXPECT_THAT(Dims(sizes, "y"), ElementsAre("m", "n")) << row;
    EXPECT_THAT(sizes.written, ElementsAre("y"));
  }
  const ArraySizes pointed =
      SizesIn("for (int i = 0; i < n; ++i) *(y + i) = *(x + i);");
  EXPECT_THAT(Dims(pointed, "y"), ElementsAre("n"));
  EXPECT_THAT(pointed.read_first, ElementsAre("x"));
}

TEST(ArraySizesTest, AnArrayThatIsMovedAlongHasNoSize) {
  const ArraySizes sizes =
      SizesIn("for (int i = 0; i < n; ++i) { x[0] = 1; x += 1; }");
  EXPECT_EQ(Dims(sizes, "x"), Texts{"?"});
}

TEST(ArraySizesTest, WhatHappensFirstIsByTheText) {
  const ArraySizes sizes = SizesIn(
      "for (int i = 0; i < n; ++i) {\n"
      "  x[i] += 1;\n  y[i] = 0;\n  y[i] += x[i];\n  at[i]++;\n}");
  EXPECT_THAT(sizes.written, UnorderedElementsAre("x", "y", "at"));
  EXPECT_THAT(sizes.read_first, UnorderedElementsAre("x", "at"));
}

// What another function does with it nobody knows; memset is known.
TEST(ArraySizesTest, WhatIsGivenAwayMayBeReadAndWritten) {
  const ArraySizes sizes = SizesIn("memset(y, 0, n);\nfill(x, n);");
  EXPECT_THAT(sizes.written, UnorderedElementsAre("x", "y"));
  EXPECT_THAT(sizes.read_first, ElementsAre("x"));
  EXPECT_THAT(sizes.given_first, ElementsAre("x"));
  const ArraySizes read = SizesIn("y[0] = x[0];\nfill(x, n);");
  EXPECT_THAT(read.given_first, IsEmpty());  // It was read here before.
}

// Every 8th element begins a block of 8: the last block ends where n does.
TEST(ArraySizesTest, BlocksEndWhereTheSizeDoes) {
  const ArraySizes sizes = SizesIn(
      "for (int i = 0; i < n; i += 8)\n"
      "  for (int k = 0; k < 8; ++k) y[i + k] = 0;");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("n"));
}

// Where a loop goes as far as nobody knows, nothing is told.
TEST(ArraySizesTest, WhatCannotBeToldIsNotGuessed) {
  for (const char* body : {"for (int i = 0; i < unknown; ++i) y[i] = 0;",
                           "for (int i = 0; i < n; ++i) y[i * i] = 0;",
                           "for (int i = 0; i < n; ++i) y[f(i)] = 0;",
                           "while (k < n) { y[k] = 0; ++k; }"}) {
    EXPECT_EQ(Dims(SizesIn(body), "y"), Texts{"?"}) << body;
  }
}

TEST(ArraySizesTest, ALoopMayCountDown) {
  const ArraySizes sizes =
      SizesIn("for (int i = n - 1; i >= 0; --i) y[i] = 0;");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("n"));
}

// By a bound of both the smaller counts, and only one of them is a size.
TEST(ArraySizesTest, ABlocksEndIsTheSizesEnd) {
  const ArraySizes sizes = SizesIn(
      "for (int b = 0; b < n; b += 32)\n"
      "  for (int i = b; i < min(b + 32, n); ++i) y[i] = x[i];");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("n"));
  EXPECT_THAT(Dims(sizes, "x"), ElementsAre("n"));
  EXPECT_EQ(sizes.depth, 2);
}

TEST(ArraySizesTest, ThreeDimensionsAreToldByTheirStrides) {
  const ArraySizes sizes = SizesIn(
      "for (int i = 0; i < m; ++i)\n"
      "  for (int j = 0; j < n; ++j)\n"
      "    for (int k = 0; k < lda; ++k)\n"
      "      y[(i * n + j) * lda + k] = x[j * lda + k];");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("m", "n", "lda"));
  EXPECT_THAT(Dims(sizes, "x"), ElementsAre("n", "lda"));
  EXPECT_EQ(sizes.depth, 3);
}

TEST(ArraySizesTest, AConstantExtentIsANumber) {
  const ArraySizes sizes = SizesIn(
      "for (int i = 0; i < n; ++i)\n"
      "  for (int k = 0; k < 3; ++k) y[i * 3 + k] = x[k];");
  EXPECT_THAT(Dims(sizes, "y"), ElementsAre("n", "3"));
  EXPECT_THAT(Dims(sizes, "x"), ElementsAre("3"));
}

// Loops over i < m and j < n around each.
TEST(ArraySizesTest, ASubscriptTellsItsArraysDimensions) {
  const struct {
    const char* use;
    Texts dims;  // Of y.
  } cases[] = {
      {"y[i] = j;", {"m"}},
      {"y[j] = i;", {"n"}},
      {"y[i * n + j] = 0;", {"m", "n"}},
      {"y[j + n * i] = 0;", {"m", "n"}},
      {"y[j * m + i] = 0;", {"n", "m"}},
      {"y[(i * n + j) * 2 + 1] = 0;", {"m", "n", "2"}},
      {"y[(m - 1 - i) * n + j] = 0;", {"m * n"}},  // Backwards: as a whole.
      {"y[i * n + j] = y[i * n + j - n + 1];", {"m", "n"}},
      {"y[i + j] = 0;", {"m + n - 1"}},
      {"y[5] = 0;", {"6"}},
      {"y[i * j] = 0;", {"?"}},
      {"y[i / 2] = 0;", {"?"}},
      {"y[y[0]] = 0;", {"1"}},  // As far as is known.
  };
  for (const auto& one : cases) {
    const ArraySizes sizes =
        SizesIn("for (int i = 0; i < m; ++i) for (int j = 0; j < n; ++j) {\n" +
                std::string(one.use) + "\n}");
    EXPECT_EQ(Dims(sizes, "y"), one.dims) << one.use;
  }
}

// Each head of a loop goes over n elements, or as far as nobody knows.
TEST(ArraySizesTest, ALoopGoesAsFarAsItsHeadSays) {
  const struct {
    const char* head;
    Texts dims;
  } cases[] = {
      {"for (int i = 0; i < n; i++)", {"n"}},
      {"for (int i = 0; i <= n - 1; ++i)", {"n"}},
      {"for (int i = 0; i <= n; ++i)", {"n + 1"}},
      {"for (int i = n - 1; i >= 0; i--)", {"n"}},
      {"for (int i = 3; i < n; i += 1)", {"n"}},
      {"for (int i = 0; i < 2 * n; ++i)", {"2 * n"}},
      {"for (int i = 0; i < n * m; ++i)", {"m * n"}},
      {"for (int i = 0; i < f(n); ++i)", {"?"}},
      {"for (int i = 0; y[i] > 0; ++i)", {"?"}},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(Dims(SizesIn(std::string(one.head) + " y[i] = 0;"), "y"),
              one.dims)
        << one.head;
  }
}

// The longer of two loops over a row counts, which is first by the text or
// second.
TEST(ArraySizesTest, OfARowTheMostThatIsUsedCounts) {
  const char* all = "for (int j = 0; j < n; ++j) y[i * lda + j] = 0;\n";
  const char* one = "y[i * lda] = 1;\n";
  for (const auto& [first, second] :
       {std::pair(all, one), std::pair(one, all)}) {
    const ArraySizes sizes = SizesIn("for (int i = 0; i < m; ++i) {\n" +
                                     std::string(first) + second + "}");
    EXPECT_THAT(Dims(sizes, "y"), ElementsAre("m", "lda"));
    ASSERT_TRUE(sizes.used.contains("lda"));
    EXPECT_EQ(Print(agents::catalogue::ToExpr(sizes.used.at("lda"))), "n");
  }
}

// Both ends have names of their own, or one of them.
TEST(ArraySizesTest, EndsOfRowsMayHaveNames) {
  for (const char* loop :
       {"int from = ptr[r]; int to = ptr[r + 1];\n"
        "for (int e = from; e < to; ++e)",
        "const int to = ptr[r + 1];\nfor (int e = ptr[r]; e < to; ++e)"}) {
    const ArraySizes sizes =
        SizesIn("for (int r = 0; r < n; ++r) {\n" + std::string(loop) +
                " y[r] += x[at[e]];\n}");
    EXPECT_THAT(sizes.row_ends, ElementsAre(Pair("ptr", "ptr_end"))) << loop;
    EXPECT_THAT(Dims(sizes, "at"), ElementsAre("ptr_end")) << loop;
    EXPECT_THAT(sizes.index_of, ElementsAre(Pair("at", "x"))) << loop;
  }
}

TEST(ArraySizesTest, ARowIsPickedByAnElementOfAnother) {
  for (const char* body :
       {"for (int i = 0; i < n; ++i) y[i] = x[at[i] * 8 + 1];",
        "for (int i = 0; i < n; ++i) { int r = at[i]; y[i] = x[r * 8 + 1]; "
        "}"}) {
    const ArraySizes sizes = SizesIn(body);
    EXPECT_THAT(sizes.picks, ElementsAre(Pair("at", "x"))) << body;
    EXPECT_THAT(sizes.index_of, IsEmpty()) << body;
  }
}

// Whether it is written, and read before that, wherever it stands.
TEST(ArraySizesTest, WhatBecomesOfAnArrayIsByItsUses) {
  const struct {
    const char* use;
    bool is_written;
    bool is_read_first;
  } cases[] = {
      {"y[0] = 1;", true, false},
      {"y[0] += 1;", true, true},
      {"y[0]++;", true, true},
      {"--y[0];", true, true},
      {"y[0] = y[1];", true, true},
      {"y[0] = 1; y[1] = y[0];", true, false},
      {"m = y[0];", false, true},
      {"if (y[0] > 0) m = 1; else y[0] = 1;", true, true},
      {"x[y[0]] = 1;", false, true},
      {"*y = 1;", true, false},
      {"y[m = 3] = 1;", true, false},
      {"while (m) { y[0] = 1; --m; }", true, true},  // It may be, before.
      {"while (m) { y[x[m]] -= 1; --m; }", true, true},
      {"while (m) m = y[0] <= 1;", false, true},
      {"while (y[m] == x[0]) ++m;", false, true},
      {"while (m) g(&y[--m], &x[0]);", true, true},
      {"while (m) { g(x[m], y + 1); --m; }", true, true},
      {"while (m) m -= g(y);", true, true},
      {"while (g(y[m] + 1, y[0])) ++m;", false, true},
      {"while (g(m & y[m], n)) ++m;", false, true},
      {"char* p = y; while (m--) *p++ = 0;", true, true},
      {"float* p = y; p[0] = 1;", true, false},
      {"float* p = y + 1; m = *p;", false, true},
      {"memset(y, 0, 4 * n);", true, false},
      {"g(m, y + n);", true, true},
      {"g(y[0]);", false, true},
      {"y;", false, false},
  };
  for (const auto& one : cases) {
    const ArraySizes sizes = SizesIn(one.use);
    EXPECT_EQ(sizes.written.contains("y"), one.is_written) << one.use;
    EXPECT_EQ(sizes.read_first.contains("y"), one.is_read_first) << one.use;
  }
}

}  // namespace
}  // namespace coppice::engine::own
