#include "agents/catalogue/scratch.h"

#include <gtest/gtest.h>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

bool Writes(std::string_view statements) {
  const StmtList list = ParseStmts(statements);
  return WritesBeforeReading(list, {"s", "r"}, DefinitionsIn(list));
}

TEST(ScratchTest, WhatALoopFillsMayBeReadBehindIt) {
  EXPECT_TRUE(
      Writes("for (int i = 0; i < N; ++i) { s[i] = a[i]; }"
             "for (int i = 0; i < N; ++i) { c[i] = s[i]; }"));
  EXPECT_FALSE(
      Writes("for (int i = 1; i < N; ++i) { s[i] = a[i]; }"
             "for (int i = 0; i < N; ++i) { c[i] = s[i]; }"));
  EXPECT_FALSE(
      Writes("for (int i = 0; i < N; ++i) { s[i] = a[i]; }"
             "for (int i = 0; i < N; ++i) { c[i] = s[i + 1]; }"));
}

TEST(ScratchTest, ARecurrenceReadsWhatItHasJustWritten) {
  EXPECT_TRUE(
      Writes("s[0] = 1; for (int i = 1; i < N; ++i) {"
             "  s[i] = s[i - 1] + a[i]; } c[0] = s[N - 1];"));
  EXPECT_FALSE(
      Writes("for (int i = 1; i < N; ++i) {"
             "  s[i] = s[i - 1] + a[i]; }"));
  EXPECT_FALSE(
      Writes("s[0] = 1; for (int i = 1; i < N; ++i) {"
             "  s[i] = s[i + 1] + a[i]; }"));
}

TEST(ScratchTest, WhatIsWrittenOnlySometimesDoesNotCount) {
  EXPECT_FALSE(Writes("if (a[0] > 0) { s[0] = 1; } c[0] = s[0];"));
}

TEST(ScratchTest, StatementsAreFollowedInOrder) {
  for (const char* text : {
           // Elements one by one, and intervals that touch.
           "s[0] = 1; s[1] = 2; for (int i = 0; i < 2; ++i) { c[i] = s[i]; }",
           // By a name for a number.
           "int n = N - 1; s[n] = 1; c[0] = s[N - 1];",
           // Under a test of what was written before it.
           "s[0] = 1; if (a[0] > 0) { c[0] = s[0]; } else { c[1] = s[0]; }",
           "s[0] = 1; { c[0] = s[0]; }",
           "s[0] = 1; s[0] += a[0];",
       }) {
    EXPECT_TRUE(Writes(text)) << text;
  }
  for (const char* text : {
           "c[0] = s[0]; s[0] = 1;",
           "s[0] += a[0];",
           "s[0] = s[0];",
           "s[s[0]] = 1;",
           "s[0] = 1; c[0] = s[1];",
           // Every second element, and a place that data tells.
           "for (int i = 0; i < N; i += 2) { s[i] = 1; } c[0] = s[1];",
           "s[k] = 1; c[0] = s[m];",
           "int n = a[0]; s[n] = 1; n += 1; c[0] = s[n];",
           // The whole of it may be read.
           "s[0] = 1; f(s);",
           "s[0] = 1; while (x) { c[0] = s[0]; }",
           "s[0][1] = 1; c[0] = s[0][1];",
           // A place that is another when it is read.
           "int n = a[0]; s[n] = 1; a[0] = 2; int m = a[0]; c[0] = s[m];",
           // One too far, and none of a loop that may not run.
           "for (int i = 0; i < N; ++i) { s[i] = a[i]; c[i] = s[i + 1]; }",
           "for (int i = 0; i < N; ++i) { if (a[i]) { s[i] = 1; } }"
           "c[0] = s[0];",
       }) {
    EXPECT_FALSE(Writes(text)) << text;
  }
}

TEST(ScratchTest, SwappedRowsTakeTurns) {
  constexpr std::string_view kFill =
      "for (int j = 0; j < N + 1; ++j) { s[j] = 0; }";
  constexpr std::string_view kRows =
      "for (int i = 0; i < M; ++i) { r[0] = i;"
      "  for (int j = 1; j < N + 1; ++j) { r[j] = s[j] + r[j - 1]; }"
      "  std::swap(s, r); } c[0] = s[N];";
  EXPECT_TRUE(Writes(std::string(kFill) + std::string(kRows)));
  EXPECT_FALSE(Writes(kRows));
  // Without r[0], the second row reads what nobody wrote.
  EXPECT_FALSE(Writes(std::string(kFill) +
                      "for (int i = 0; i < M; ++i) {"
                      "  for (int j = 1; j < N + 1; ++j) { r[j] = s[j]; }"
                      "  std::swap(s, r); } c[0] = s[0];"));
}

constexpr std::string_view kSums =
    "  std::vector<float> s(N);\n"
    "  for (int64_t i = 0; i < M; ++i) {\n"
    "    for (int64_t j = 0; j < N; ++j) {\n"
    "      s[j] = a[i * N + j];\n"
    "    }\n"
    "    c[i] = s[N - 1];\n"
    "  }\n";

TEST(ScratchTest, EachThreadGetsItsOwn) {
  const Setting threads{2, {}, {}};
  const std::string made = Rewrite(kSums, "parallel(i)", threads);
  EXPECT_NE(made.find("#pragma omp parallel for\n"
                      "for (int64_t i = 0; i < M; ++i) {\n"
                      "  static thread_local std::vector<float> s_buffer;\n"
                      "  s_buffer.resize(N);\n"
                      "  float* s = s_buffer.data();\n"),
            std::string::npos)
      << made;
}

TEST(ScratchTest, WhatIsReadElsewhereIsNoScratch) {
  const Setting threads{2, {}, {}};
  EXPECT_TRUE(
      Rewrite(std::string(kSums) + "  c[0] = s[0];\n", "parallel(i)", threads)
          .starts_with("refused"));
}

TEST(ScratchTest, OnlyTheBoldTakeItOnTrust) {
  const Setting threads{2, {}, {}};
  const std::string sometimes =
      "  std::vector<float> s(N);\n"
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    s[static_cast<int64_t>(a[i])] = 1.0f;\n"
      "    c[i] = s[0];\n"
      "  }\n";
  EXPECT_TRUE(
      Rewrite(sometimes, "parallel(i)", threads).starts_with("refused"));
  EXPECT_NE(Rewrite(sometimes, "parallel(i, bold)", threads)
                .find("thread_local std::vector<float> s_buffer"),
            std::string::npos);
}

}  // namespace
}  // namespace coppice::agents::catalogue
