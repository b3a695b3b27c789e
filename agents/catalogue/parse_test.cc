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

std::string Read(std::string_view text) { return Print(ParseStmts(text)); }

TEST(ParseTest, TypesMayNestAndHaveSeveralWords) {
  ExpectStable(
      "std::vector<std::vector<float>> rows(M, std::vector<float>(N, 0.0f));\n"
      "std::vector<unsigned char> seen(N);\n"
      "std::vector<const float*> at(N);\n"
      "std::array<float, 4> four = {};\n"
      "bool wide = x > limit;\n");
  EXPECT_EQ(ParseStmts("std::vector v{1}; bool wide = x > limit;")[0].kind,
            StmtKind::kRaw);
}

TEST(ParseTest, ATypeInFrontOfBracketsIsACast) {
  EXPECT_EQ(Read("x = float(i) / int(y * 2.0f);"),
            "x = static_cast<float>(i) / static_cast<int>(y * 2.0f);\n");
  EXPECT_EQ(Read("x = long long(i) + unsigned(i);"),
            "x = static_cast<long long>(i) + static_cast<unsigned>(i);\n");
  ExpectStable("v = std::vector<float>(N, 1.0f);\n");
  EXPECT_EQ(ParseStmts("x = float(i, ;")[0].kind, StmtKind::kRaw);
}

TEST(ParseTest, ShiftsAreAssignments) {
  ExpectStable("n >>= 1;\nh <<= x + 1;\n");
  EXPECT_EQ(ParseStmts("n >>= 1;")[0].kind, StmtKind::kExpr);
}

// `s` is no pointer.
TEST(ParseTest, APointerDeclaredBesideANumberStaysText) {
  EXPECT_EQ(ParseStmts("float *p = c, s = 0.5f;")[0].kind, StmtKind::kRaw);
  EXPECT_EQ(Read("float s = 0.5f, t = 1;"), "float s = 0.5f;\nfloat t = 1;\n");
}

// Cut into strips, each of these would end elsewhere.
TEST(ParseTest, LoopsThatDoNotCountToAFixedEndStayText) {
  for (const char* head :
       {"float x = 0; x < 1; x += 0.25f", "double x = 0; x < n; ++x",
        "auto x = 0.0f; x < n; ++x", "auto i = n; i < m; ++i",
        "auto i = 0u; i < n; ++i", "const float* p = a; p < a + n; ++p",
        "int64_t i = 0; i < n - i; ++i", "int64_t i = 1; i <= n / i; ++i",
        "int64_t i = 0; i + i < n; ++i", "int64_t i = 1; i < n; i += i",
        "int64_t i = n; i > n - i; --i"}) {
    const std::string loop = "for (" + std::string(head) + ") { f(); }";
    EXPECT_EQ(ParseStmts(loop)[0].kind, StmtKind::kRaw) << head;
  }
  for (const char* head :
       {"auto i = 0; i < n; ++i", "uint8_t i = 0; i < 9; ++i",
        "long long i = 0; i < n; i += 2", "int64_t i = j; i < n - j; ++i"}) {
    const std::string loop = "for (" + std::string(head) + ") { f(); }";
    EXPECT_EQ(ParseStmts(loop)[0].kind, StmtKind::kFor) << head;
  }
}

// i < n - 2 is not what i + 2 < n is if n has no sign, whatever i is.
TEST(ParseTest, AnEndWithoutASignIsKnownByItsName) {
  const auto loop = [](const std::string& before, const std::string& head) {
    const auto tokens = Tokenize(before + "for (" + head + ") { f(i); }");
    std::size_t at = 0;
    return ParseStmts(tokens, at, {{"size"}, {}, {}}).back();
  };
  const std::string sum = "int64_t i = 0; i + 2 < n; ++i";
  EXPECT_EQ(loop("int64_t n = 1;", sum).kind, StmtKind::kFor);
  for (const char* before :
       {"size_t n = 1;", "const unsigned n = 1;", "auto n = v.size();",
        "auto n = (uint32_t)m;", "auto n = 7u;", "auto n = size;"}) {
    EXPECT_EQ(loop(before, sum).kind, StmtKind::kRaw) << before;
  }
  for (const char* head :
       {"int64_t i = 0; i + 2 < v.size(); ++i", "int i = 0; i + 2 < size; ++i",
        "int i = 0; i + 2 < sizeof(v) / 4; ++i",
        "int64_t i = size - 1; i > size / 2; --i"}) {
    EXPECT_EQ(loop("", head).kind, StmtKind::kRaw) << head;
  }
  EXPECT_TRUE(loop("", "int i = 3; i < size; ++i").unsigned_end);
  EXPECT_FALSE(loop("", "int i = 3; i < n; ++i").unsigned_end);
}

// Whoever puts a number in place of `i` would put it in place of both.
TEST(ParseTest, ANameWithinALoopOfThatNameStaysText) {
  const StmtList list = ParseStmts(
      "for (int64_t i = 0; i < n; ++i) {"
      "  for (int64_t i = 0; i < 2; ++i) { f(i); }"
      "  for (int64_t j = 0; j < 2; ++j) { int i = j; f(i); }"
      "}"
      "for (int64_t i = 0; i < n; ++i) { f(i); }");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].body[0].kind, StmtKind::kRaw);
  EXPECT_EQ(list[0].body[1].body[0].kind, StmtKind::kRaw);
  EXPECT_EQ(list[1].kind, StmtKind::kFor);
}

TEST(ParseTest, WhatCallsAFunctionThatDoesMoreStaysText) {
  const auto kinds = [](const std::string& text) {
    const auto tokens = Tokenize(text);
    std::size_t at = 0;
    std::string raw;
    for (const Stmt& stmt :
         ParseStmts(tokens, at, {{}, {"Reach"}, {"Change"}})) {
      raw += stmt.kind == StmtKind::kRaw ? 'r' : '-';
    }
    return raw;
  };
  EXPECT_EQ(kinds("Reach(x); y = Reach(x); if (Reach(x)) { y = 1; }"), "rrr");
  // The value of `Change(x)` is not all that it gives.
  EXPECT_EQ(kinds("Change(x); y = Change(x); float z = 1 + Change(x);"), "-rr");
  EXPECT_EQ(kinds("for (int i = 0; i < n; ++i) { Reach(i); }"), "-");
  EXPECT_EQ(kinds("for (int i = 0; i < Reach(n); ++i) { x = i; }"), "r");
  EXPECT_EQ(kinds("y = Other(x) + reach(x);"), "-");
}

}  // namespace
}  // namespace coppice::agents::catalogue
