#include "agents/catalogue/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

using ::testing::ElementsAre;

TEST(EffectsTest, TellsReadsFromWrites) {
  const Effects effects =
      EffectsOf(ParseStmts("y[i] += a[i * n + k]; s = t; ++u;"));
  EXPECT_THAT(effects.WrittenArrays(), ElementsAre("y"));
  EXPECT_THAT(effects.ReadArrays(), ElementsAre("a", "y"));
  EXPECT_THAT(effects.writes, ElementsAre("s", "u"));
  EXPECT_FALSE(effects.opaque);
}

TEST(EffectsTest, AStoreAloneIsNoRead) {
  EXPECT_TRUE(EffectsOf(ParseStmts("y[i] = 0;")).ReadArrays().empty());
}

TEST(EffectsTest, UnknownCodeIsOpaque) {
  EXPECT_TRUE(EffectsOf(ParseStmts("*p = 1;")).opaque);
  EXPECT_TRUE(EffectsOf(ParseStmts("v.push_back(1);")).opaque);
  EXPECT_TRUE(EffectsOf(ParseStmts("while (x) { }")).opaque);
  EXPECT_FALSE(EffectsOf(ParseStmts("v.data()[i] = f(x);")).opaque ==
               false);  // Its base has no name.
}

TEST(EffectsTest, EachExpressionTellsWhatItDoes) {
  struct Case {
    const char* text;
    std::set<std::string> reads, writes, read_arrays, written_arrays;
  };
  const std::set<std::string> none;
  for (const auto& [text, reads, writes, read_arrays, written_arrays] : {
           Case{"s = t + 1;", {"t"}, {"s"}, none, none},
           Case{"s += t;", {"s", "t"}, {"s"}, none, none},
           Case{"s--;", {"s"}, {"s"}, none, none},
           Case{"y[i++] = 0;", {"i"}, {"i"}, none, {"y"}},
           Case{"y[x[i]] *= 2;", {"i"}, none, {"x", "y"}, {"y"}},
           Case{"s = t = 0;", none, {"s", "t"}, none, none},
           Case{"y[i] = p ? a[i] : b[j];",
                {"i", "j", "p"},
                none,
                {"a", "b"},
                {"y"}},
           Case{"v.assign(n, 0);", {"n"}, {"v"}, none, none},
           Case{"float z = x[0];", none, none, {"x"}, none},
           Case{"for (int i = m; i < n; i += k) { s = i; }",
                {"i", "k", "m", "n"},
                {"s"},
                none,
                none},
           Case{"if (p) { s = 1; } else { t = 1; }",
                {"p"},
                {"s", "t"},
                none,
                none},
       }) {
    const Effects effects = EffectsOf(ParseStmts(text));
    EXPECT_EQ(effects.reads, reads) << text;
    EXPECT_EQ(effects.writes, writes) << text;
    EXPECT_EQ(effects.ReadArrays(), read_arrays) << text;
    EXPECT_EQ(effects.WrittenArrays(), written_arrays) << text;
    EXPECT_FALSE(effects.opaque) << text;
  }
}

TEST(EffectsTest, ASwapChangesBoth) {
  const Effects effects = EffectsOf(ParseStmts("std::swap(x, y);"));
  EXPECT_EQ(effects.writes, (std::set<std::string>{"x", "y"}));
  EXPECT_FALSE(effects.opaque);
}

TEST(EffectsTest, DefinitionsAreIntegersNeverAssigned) {
  const Definitions definitions = DefinitionsIn(ParseStmts(
      "int64_t row = i + 1; int64_t n = 0; n += 1; float f = x + y;"
      "constexpr int64_t K = 8; const int64_t at = std::min<int64_t>(j, M);"));
  ASSERT_EQ(definitions.size(), 2U);
  EXPECT_EQ(Print(definitions.at("row")), "i + 1");
  EXPECT_EQ(Print(definitions.at("at")), "j");  // A shifted tail.
}

TEST(EffectsTest, NamesWithTwoMeaningsDefineNothing) {
  EXPECT_TRUE(DefinitionsIn(ParseStmts("{ int64_t r = i; } { int64_t r = j; }"))
                  .empty());
}

// A pointer gives elements another name, and so does a reference.
TEST(EffectsTest, AliasesAreSeenThrough) {
  struct Case {
    const char* statements;
    const char* array;
    const char* subscript;
  };
  for (const Case& one : {
           Case{"float* row = c + i * N; row[j] = 0;", "c", "i * N + j"},
           Case{"float* row = c; row[j] = 0;", "c", "j"},
           Case{"float* row = &c[k]; row[j] = 0;", "c", "k + j"},
           Case{"float* end = c + n - 1; end[j] = 0;", "c", "n - 1 + j"},
           Case{"float& x = c[k]; x = 0;", "c", "k"},
           Case{"float* p = v.data() + 4; p[j] = 0;", "v", "4 + j"},
           Case{"float* p = static_cast<float*>(c); p[j] = 0;", "c", "j"},
           // By two steps: n + (k + j).
           Case{"float* p = c + n; float* q = p + k; q[j] = 0;", "c",
                "n + (k + j)"},
       }) {
    const Effects effects = EffectsOf(ParseStmts(one.statements));
    EXPECT_FALSE(effects.opaque) << one.statements;
    ASSERT_THAT(effects.WrittenArrays(), ElementsAre(one.array))
        << one.statements;
    for (const ArrayAccess& access : effects.accesses) {
      if (!access.write) continue;
      EXPECT_EQ(Print(access.subscripts[0]), one.subscript) << one.statements;
    }
  }
}

TEST(EffectsTest, APointerThatMayPointAnywhereIsOpaque) {
  for (const char* statements : {
           "float* p = k > 0 ? x : y; p[0] = 1;",
           "float* p = c; p += N; p[0] = 1;",
           "float* p = c; ++p; p[0] = 1;",
           "{ float* p = x; p[0] = 1; } { float* p = y; p[0] = 1; }",
           "float* p; p[0] = 1;",
       }) {
    EXPECT_TRUE(EffectsOf(ParseStmts(statements)).opaque) << statements;
  }
  // Two rows of the list's own may change places.
  EXPECT_FALSE(EffectsOf(ParseStmts("float x[8]; float y[8]; float* p = x;"
                                    "float* q = y; std::swap(p, q); p[0] = 1;"))
                   .opaque);
}

// A function whose value nobody takes is called for what it does.
TEST(EffectsTest, ACallThatStandsAloneMayChangeWhatItIsHanded) {
  EXPECT_TRUE(EffectsOf(ParseStmts("AddTo(c, i, x);")).opaque);
  EXPECT_TRUE(EffectsOf(ParseStmts("AddTo(c + i * N, x);")).opaque);
  EXPECT_TRUE(EffectsOf(ParseStmts("std::sort(v, v + 5);")).opaque);
  // Its own array, which it may change as it likes.
  EXPECT_FALSE(
      EffectsOf(ParseStmts("float v[5]; std::sort(v, v + 5);")).opaque);
  EXPECT_FALSE(EffectsOf(ParseStmts("y[i] = std::fma(a[i], b[i], s);")).opaque);
}

TEST(EffectsTest, AFunctionMayLookAtAllThatItIsHanded) {
  const auto handed = [](const char* text) {
    return EffectsOf(ParseStmts(text)).handed;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(handed("y[i] = At(x, i);"), (Names{"i", "x"}));
  EXPECT_EQ(handed("y[i] = At(x + 4, 2);"), (Names{"x"}));
  // An element is read alone, and a cast looks at nothing.
  EXPECT_EQ(handed("y[i] = std::max(x[i], 2.0f);"), Names{});
  EXPECT_EQ(handed("y[i] = std::exp(x[i] - s);"), Names{});
  EXPECT_EQ(handed("float* p = static_cast<float*>(x); p[i] = 1;"), Names{});
  EXPECT_EQ(handed("float* p = x + n; y[i] = At(p, 2);"), (Names{"x"}));
  EXPECT_EQ(handed("RowsToLanes16(x, n, n, y);"), Names{});
}

// It is called for something, and if not for these then for what nobody sees.
TEST(EffectsTest, ACallThatIsHandedNothingOfTheListsOwnIsOpaque) {
  EXPECT_TRUE(EffectsOf(ParseStmts("Note(2 * i);")).opaque);
  EXPECT_TRUE(EffectsOf(ParseStmts("Note();")).opaque);
  EXPECT_TRUE(EffectsOf(ParseStmts("float s = x[0]; Add(y, s);")).opaque);
  EXPECT_FALSE(EffectsOf(ParseStmts("float s = x[0]; Add(s, 2);")).opaque);
  EXPECT_FALSE(EffectsOf(ParseStmts("assert(i < n); y[i] = 0;")).opaque);
}

TEST(EffectsTest, APointerNeedsNoTypeToBeSeenThrough) {
  const auto written = [](const char* text) {
    return EffectsOf(ParseStmts(text)).WrittenArrays();
  };
  EXPECT_THAT(written("auto p = c + N; p[i] = 0;"), ElementsAre("c"));
  EXPECT_THAT(written("const auto p = c; auto q = p + 1; q[i] = 0;"),
              ElementsAre("c"));
  EXPECT_TRUE(EffectsOf(ParseStmts("auto p = F(c)[2]; p[i] = 0;")).opaque);
  // A number is none.
  EXPECT_TRUE(written("auto s = c[i]; s += 1;").empty());
}

// `from` is what `n` was, not what it is.
TEST(EffectsTest, WhatIsMadeOfSomethingThatChangesStandsForItself) {
  for (const char* text :
       {"int64_t from = n; n += 4;", "int64_t n = M; n >>= 1;",
        "int64_t at = x[0]; x[0] = 3;", "int64_t n = M; while (n > 2) { --n; }",
        "int64_t from = n + 1; while (n > 2) { n /= 2; }"}) {
    EXPECT_TRUE(DefinitionsIn(ParseStmts(text)).empty()) << text;
  }
  EXPECT_EQ(DefinitionsIn(ParseStmts("int64_t n = M; int64_t at = x[0];"
                                     "while (s > n) { s /= 2; }"))
                .size(),
            2U);
}

}  // namespace
}  // namespace coppice::agents::catalogue
