#include "agents/catalogue/fuse.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(FuseTest, JoinsNeighboursAndKeepsTheirNamesApart) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    float t = a[i];\n"
                    "    c[i] = t;\n"
                    "  }\n"
                    "  // then\n"
                    "  for (int64_t r = 0; r < M; ++r) {\n"
                    "    float t = b[r];\n"
                    "    c[r] = c[r] + t;\n"
                    "  }\n",
                    "fuse(i)"),
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  float t = a[i];\n"
            "  c[i] = t;\n"
            "  float t_2 = b[i];\n"
            "  c[i] = c[i] + t_2;\n"
            "}\n");
}

TEST(FuseTest, AnElementOfALaterIterationForbidsIt) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                      "    c[i] = a[i];\n  }\n"
                      "  for (int64_t i = 0; i < M; ++i) {\n"
                      "    c[i] = c[i + 1];\n  }\n",
                      "fuse(i)")
                  .starts_with("refused"));
}

TEST(FuseTest, RangesMustBeEqual) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                      "    c[i] = a[i];\n  }\n"
                      "  for (int64_t i = 0; i < N; ++i) {\n"
                      "    c[i] = c[i] + 1.0f;\n  }\n",
                      "fuse(i)")
                  .starts_with("refused"));
}

TEST(FuseTest, FissionGivesEachStatementALoop) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    c[i] = a[i];\n"
                    "    c[i] = c[i] + b[i];\n"
                    "  }\n",
                    "fission(i)"),
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  c[i] = a[i];\n"
            "}\n"
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  c[i] = c[i] + b[i];\n"
            "}\n");
}

TEST(FuseTest, FissionCannotSplitASharedScalar) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    float t = a[i];\n    c[i] = t;\n  }\n",
                    "fission(i)"),
            "refused: fission(i): `t` is shared by its statements");
}

}  // namespace
}  // namespace coppice::agents::catalogue
