#include "agents/catalogue/privatize.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

constexpr const char* kHistogram =
    "extern \"C\" void run(const int32_t* v, int32_t* counts, int64_t N) {\n"
    "  for (int64_t i = 0; i < N; ++i) {\n"
    "    counts[v[i] & 255] += 1;\n"
    "  }\n"
    "}\n";

TEST(PrivatizeTest, CountsIntoTablesInTurn) {
  EXPECT_EQ(RewriteFile(kHistogram, "privatize(i, 2)"),
            "extern \"C\" void run(const int32_t* v, int32_t* counts, int64_t "
            "N) {\n"
            "  int32_t counts_part[2][256] = {};\n"
            "  for (int64_t i = 0; i < N / 2 * 2; i += 2) {\n"
            "    counts_part[0][v[i] & 255] += 1;\n"
            "    counts_part[1][v[i + 1] & 255] += 1;\n"
            "  }\n"
            "  for (int64_t i = N / 2 * 2; i < N; ++i) {\n"
            "    counts[v[i] & 255] += 1;\n"
            "  }\n"
            "  for (int64_t bin_at = 0; bin_at < 256; ++bin_at) {\n"
            "    for (int64_t copy = 0; copy < 2; ++copy) {\n"
            "      counts[bin_at] += counts_part[copy][bin_at];\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(PrivatizeTest, ThreadsReduceTheTables) {
  const Setting threads{2, {}, {}};
  EXPECT_NE(RewriteFile(kHistogram, "privatize(i, 4, threads)", threads)
                .find("#pragma omp parallel for reduction(+:counts_part)\n"),
            std::string::npos);
  EXPECT_TRUE(RewriteFile(kHistogram, "privatize(i, 4, threads)")
                  .starts_with("refused"));
}

TEST(PrivatizeTest, TheTableMustHaveAKnownSize) {
  const auto counts = [](std::string_view body) {
    return CountsIntoTable(ParseStmts("for (int64_t i = 0; i < N; ++i) {" +
                                      std::string(body) + "}")[0]);
  };
  EXPECT_TRUE(counts("t[v[i] % 10] += w[i];"));
  EXPECT_FALSE(counts("t[v[i]] += 1;"));
  EXPECT_FALSE(counts("t[t[i] & 255] += 1;"));
  EXPECT_FALSE(counts("t[v[i] & 65535] += 1;"));  // Too large to copy.
}

// One copy leaves nothing over, unless a step does: of 0, 3, 6, 9, 12 below
// 14, the last is left.
TEST(PrivatizeTest, NoCountIsLost) {
  std::string thirds = kHistogram;
  thirds.replace(thirds.find("++i"), 3, "i += 3");
  EXPECT_NE(RewriteFile(thirds, "privatize(i, 1)")
                .find("for (int64_t i = N / 3 * 3; i < N; i += 3) {\n"
                      "    counts[v[i] & 255] += 1;\n"),
            std::string::npos);
  const std::string once = RewriteFile(kHistogram, "privatize(i, 1)");
  EXPECT_NE(once.find("for (int64_t i = 0; i < N / 1 * 1; ++i) {\n"
                      "    counts_part[0][v[i] & 255] += 1;\n"),
            std::string::npos)
      << once;
}

TEST(PrivatizeTest, RefusesWithAReason) {
  const auto refused = [](std::string statement, const char* label) {
    std::string source = kHistogram;
    const std::string old = "counts[v[i] & 255] += 1;";
    source.replace(source.find(old), old.size(), statement);
    const std::string made = RewriteFile(source, label);
    return made.starts_with("refused") ? made.substr(made.rfind(": ") + 2)
                                       : "applies";
  };
  const std::string none = "the loop is no count into a table of known size";
  EXPECT_EQ(refused("counts[v[i] % 10] += v[i];", "privatize(i, 3)"),
            "applies");
  EXPECT_EQ(refused("counts[v[i] & 255] -= 1;", "privatize(i, 3)"), "applies");
  EXPECT_EQ(refused("counts[v[i] & 255] = 1;", "privatize(i, 3)"), none);
  EXPECT_EQ(refused("counts[v[i] & 255] *= 2;", "privatize(i, 3)"), none);
  EXPECT_EQ(refused("counts[v[i] & N] += 1;", "privatize(i, 3)"), none);
  EXPECT_EQ(refused("counts[v[i] & 255] += counts[0];", "privatize(i, 3)"),
            none);
  EXPECT_EQ(refused("counts[v[i] & 255] += 1;\n    counts[0] += 1;",
                    "privatize(i, 3)"),
            none);
  EXPECT_EQ(refused("if (v[i] > 0) {\n      counts[v[i] & 255] += 1;\n    }",
                    "privatize(i, 3)"),
            none);
  EXPECT_EQ(refused("counts[v[i] & 255] += 1;", "privatize(i, 17)"),
            "there is no such loop here");
}

}  // namespace
}  // namespace coppice::agents::catalogue
