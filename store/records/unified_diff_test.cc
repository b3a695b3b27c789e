#include "store/records/unified_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "store/records/random.h"

namespace coppice {
namespace {

std::string Diff(std::string_view before, std::string_view after,
                 std::size_t context = 3) {
  return UnifiedDiff({"a", before}, {"b", after}, context);
}

// The lines that begin with + or -, without the two header lines.
long Edits(const std::string& diff) {
  long edits = 0;
  for (std::size_t at = diff.find("@@"); at < diff.size();
       at = diff.find('\n', at) + 1) {
    edits += diff[at] == '+' || diff[at] == '-' ? 1 : 0;
  }
  return edits;
}

TEST(UnifiedDiffTest, EqualTextsHaveNone) {
  EXPECT_EQ(Diff("", ""), "");
  EXPECT_EQ(Diff("x\ny\n", "x\ny\n"), "");
}

TEST(UnifiedDiffTest, ShowsAReplacedLineInItsContext) {
  EXPECT_EQ(
      Diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
      "--- a\n+++ b\n"
      "@@ -2,7 +2,7 @@\n"
      " 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiffTest, CountsFromAnEmptySideAsDiffDoes) {
  EXPECT_EQ(Diff("", "x\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
  EXPECT_EQ(Diff("x\ny\n", ""), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-x\n-y\n");
}

TEST(UnifiedDiffTest, SaysWhereTheLastNewlineIsMissing) {
  EXPECT_EQ(
      Diff("x\n", "x"),
      "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n");
}

// Two changes with 2 * context unchanged lines between them share a hunk; with
// one more line they do not.
TEST(UnifiedDiffTest, NearChangesShareAHunk) {
  EXPECT_EQ(Diff("a\n1\n2\nb\n", "A\n1\n2\nB\n", 1),
            "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n-b\n+B\n");
  EXPECT_EQ(Diff("a\n1\n2\n3\nb\n", "A\n1\n2\n3\nB\n", 1),
            "--- a\n+++ b\n"
            "@@ -1,2 +1,2 @@\n-a\n+A\n 1\n"
            "@@ -4,2 +4,2 @@\n 3\n-b\n+B\n");
}

TEST(UnifiedDiffTest, WithoutContextOnlyChangesAreShown) {
  EXPECT_EQ(Diff("1\n2\n3\n", "1\n3\n", 0),
            "--- a\n+++ b\n@@ -2 +1,0 @@\n-2\n");
}

// Myers' own example: ABCABBA to CBABAC takes 5 edits.
TEST(UnifiedDiffTest, TheScriptIsAShortestOne) {
  EXPECT_EQ(Edits(Diff("A\nB\nC\nA\nB\nB\nA\n", "C\nB\nA\nB\nA\nC\n")), 5);
}

// The number of edits of a shortest script is |a| + |b| - 2 LCS(a, b).
TEST(UnifiedDiffTest, AgreesWithTheTableOfCommonSubsequences) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::string texts[2];
    for (unsigned i = 0; i < 24; ++i) {
      const unsigned draw = (seed * 2654435761U + i * 40503U) >> 7;
      texts[draw & 1U] += static_cast<char>('a' + (draw >> 1U) % 3U);
      texts[draw & 1U] += '\n';
    }
    const std::size_t n = texts[0].size() / 2;
    const std::size_t m = texts[1].size() / 2;
    std::vector<std::vector<long>> lcs(n + 1, std::vector<long>(m + 1));
    for (std::size_t i = 1; i <= n; ++i) {
      for (std::size_t j = 1; j <= m; ++j) {
        lcs[i][j] = texts[0][2 * i - 2] == texts[1][2 * j - 2]
                        ? lcs[i - 1][j - 1] + 1
                        : std::max(lcs[i - 1][j], lcs[i][j - 1]);
      }
    }
    const long least = static_cast<long>(n + m) - 2 * lcs[n][m];
    EXPECT_EQ(Edits(Diff(texts[0], texts[1])), least) << texts[0] << "--\n"
                                                      << texts[1];
  }
}

// Applies a diff as patch does, and fails where a line is not what it says.
std::string Patched(const std::string& before, const std::string& diff) {
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
      lines.push_back(text.substr(at, end + 1 - at));
      at = end + 1;
    }
    return lines;
  };
  const std::vector<std::string> old_lines = lines_of(before);
  const std::vector<std::string> rows = lines_of(diff);
  std::string after;
  std::size_t next = 0;
  std::size_t new_lines = 0;
  for (std::size_t i = 2; i < rows.size(); ++i) {
    std::string line = rows[i].substr(1);
    if (i + 1 < rows.size() && rows[i + 1].starts_with("\\ No newline")) {
      line.pop_back();
    }
    if (rows[i].starts_with("@@")) {
      std::size_t first = 0;
      std::size_t count = 1;
      std::size_t to = 0;
      std::sscanf(rows[i].c_str(), "@@ -%zu,%zu", &first, &count);
      std::sscanf(rows[i].c_str() + rows[i].find('+'), "+%zu", &to);
      const std::size_t begin = count == 0 ? first : first - 1;
      for (; next < begin; ++next, ++new_lines) after += old_lines.at(next);
      EXPECT_LE(to, new_lines + 1) << diff;
      EXPECT_GE(to, new_lines) << diff;
    } else if (rows[i].starts_with("\\")) {
      continue;
    } else if (rows[i][0] == '+') {
      after += line;
      ++new_lines;
    } else {
      EXPECT_EQ(old_lines.at(next), line) << diff;
      if (rows[i][0] == ' ') after += line, ++new_lines;
      ++next;
    }
  }
  for (; next < old_lines.size(); ++next) after += old_lines[next];
  return after;
}

TEST(UnifiedDiffTest, ADiffLeadsFromTheOneTextToTheOther) {
  RandomStream stream(4, Purpose::kSimulation, 0);
  for (int i = 0; i < 2000; ++i) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (std::uint64_t lines = stream.Below(14); lines > 0; --lines) {
        text += static_cast<char>('a' + stream.Below(4));
        if (lines > 1 || stream.Below(2) == 0) text += '\n';
      }
    }
    const std::size_t context = stream.Below(4);
    const std::string diff = Diff(texts[0], texts[1], context);
    ASSERT_EQ(Patched(texts[0], diff), texts[1]) << texts[0] << "--\n" << diff;
    ASSERT_EQ(diff.empty(), texts[0] == texts[1]);
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace coppice
