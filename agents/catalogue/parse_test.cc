#include "agents/catalogue/parse.h"

#include <gtest/gtest.h>

#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

// What is printed is read again as the same.
void ExpectStable(std::string_view text) {
  EXPECT_EQ(Print(ParseStmts(text)), text);
}

TEST(ParseTest, PrintsTheDialectAsItIsWritten) {
  ExpectStable(
      "constexpr int64_t K = 16;\n"
      "std::vector<float> h(M * K);\n"
      "for (int64_t i = 0; i < M; ++i) {\n"
      "  float sum = 0.0f;\n"
      "  // the row\n"
      "  for (int64_t k = 0; k < K; ++k) {\n"
      "    if (k < i) {\n"
      "      sum += a[i * K + k];\n"
      "    } else {\n"
      "      sum -= 1.0f;\n"
      "    }\n"
      "  }\n"
      "  h[i] = std::max(sum, 0.0f);\n"
      "}\n");
}

TEST(ParseTest, ReadsWhatTheTechniquesWrite) {
  ExpectStable(
      "float sum[4][32] = {};\n"
      "static thread_local std::vector<float> buffer;\n"
      "float* p = buffer.data();\n"
      "const float* __restrict__ q = a;\n"
      "#pragma omp parallel for\n"
      "for (int64_t j = N / 32 * 32; j < N; j += 32) {\n"
      "#pragma omp simd reduction(+:s)\n"
      "  for (int64_t l = 0; l < 32; ++l) {\n"
      "    s += p[j + l];\n"
      "  }\n"
      "}\n");
}

TEST(ParseTest, BringsLoopsToOneForm) {
  EXPECT_EQ(Print(ParseStmts("for (int64_t i = 1; i <= n; i++) x[i] = 0;")),
            "for (int64_t i = 1; i < n + 1; ++i) {\n  x[i] = 0;\n}\n");
  const StmtList list =
      ParseStmts("for (int64_t i = 0; i + 16 <= n; i += 16) { f(i); }");
  ASSERT_EQ(list[0].kind, StmtKind::kFor);
  // i + 16 <= n  is  i < n - 16 + 1.
  EXPECT_EQ(Print(list[0].bound), "n - 15");
}

TEST(ParseTest, KeepsWhatItDoesNotKnowAsText) {
  for (const char* text :
       {"while (x > 0) { x -= 1; }", "for (int i = n; i > 0; i /= 2) { f(i); }",
        "goto out;", "return;"}) {
    const StmtList list = ParseStmts(text);
    ASSERT_EQ(list.size(), 1U) << text;
    EXPECT_EQ(list[0].kind, StmtKind::kRaw) << text;
  }
}

TEST(ParseTest, ALoopDownwardsIsOneUpwards) {
  const StmtList list =
      ParseStmts("for (int64_t i = n - 2; i >= 0; --i) { x[i] = x[i + 1]; }");
  EXPECT_EQ(Print(list, 0),
            "for (int64_t i_down = 0; i_down < n - 1; ++i_down) {\n"
            "  x[n - 2 - i_down] = x[n - 2 - i_down + 1];\n"
            "}\n");
  // n changes on the way.
  EXPECT_EQ(ParseStmts("for (int64_t i = n; i > 0; --i) { n = 7; }")[0].kind,
            StmtKind::kRaw);
}

// n - 2 and 0 - 1 would be the greatest numbers of all.
TEST(ParseTest, LoopsWithoutASignStayAsTheyAre) {
  const auto kind = [](const std::string& head) {
    const auto tokens = Tokenize("for (" + head + ") { f(i); }");
    std::size_t at = 0;
    return ParseStmts(tokens, at).at(0).kind;
  };
  for (const char* head :
       {"size_t i = 0; i + 2 < n; ++i", "uint32_t i = n; i > 0; --i",
        "unsigned i = n; i >= 1; i -= 1"}) {
    EXPECT_EQ(kind(head), StmtKind::kRaw) << head;
    // Who only reads may take them for loops.
    const std::string loop = "for (" + std::string(head) + ") { f(i); }";
    EXPECT_EQ(ParseStmts(loop)[0].kind, StmtKind::kFor) << head;
  }
  for (const char* head :
       {"size_t i = 0; i < n; ++i", "unsigned i = 2; i <= n; i += 2",
        "int i = 0; i + 2 < n; ++i"}) {
    EXPECT_EQ(kind(head), StmtKind::kFor) << head;
  }
}

TEST(ParseTest, ABracedValueIsACast) {
  EXPECT_EQ(Print(ParseExpr("int64_t{0} + x")), "static_cast<int64_t>(0) + x");
}

TEST(ParseTest, StatementsKnowTheirLines) {
  const StmtList list = ParseStmts(
      "x = 1;\n"
      "#pragma omp simd\n"
      "for (int64_t i = 0; i < n; ++i) {\n"
      "  y = 2;\n"
      "}\n");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1].first_line, 2);  // With its pragma.
  EXPECT_EQ(list[1].last_line, 5);
  EXPECT_EQ(list[1].body[0].first_line, 4);
}

std::string Times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// Trees are walked by recursion, and broken text is read only once.
TEST(ParseTest, WhatNestsTooDeeplyStaysText) {
  constexpr int kDeep = 100000;
  for (const std::string& text :
       {Times(kDeep, "{"), Times(kDeep, "if (1) "),
        "x = " + Times(kDeep, "(") + "1" + Times(kDeep, ")") + ";",
        "x = " + Times(kDeep, "-") + "1;", "x = 1" + Times(kDeep, " + 1") + ";",
        "x" + Times(kDeep, "[0]") + " = 1;", Times(kDeep, "x = ") + "1;",
        "x = " + Times(60, "(int)(") + ";"}) {
    StmtList list = ParseStmts(text);
    while (!list.empty() && list[0].kind != StmtKind::kRaw) {
      list = StmtList(list[0].body);
    }
    EXPECT_EQ(list.size(), 1U) << text.substr(0, 20);
  }
  EXPECT_EQ(ParseStmts(Times(50, "{") + "x = 1;" + Times(50, "}"))[0].kind,
            StmtKind::kBlock);
  EXPECT_EQ(ParseStmts("x = 1" + Times(500, " + a[i]") + ";")[0].kind,
            StmtKind::kExpr);
}

TEST(ParseTest, BrokenTextEnds) {
  EXPECT_TRUE(ParseStmts("").empty());
  EXPECT_EQ(ParseStmts("for (int i = 0; i <").size(), 1U);
  EXPECT_FALSE(ParseStmts("x = (1 + ;").empty());
}

}  // namespace
}  // namespace coppice::agents::catalogue
