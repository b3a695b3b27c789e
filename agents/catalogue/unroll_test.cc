#include "agents/catalogue/unroll.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(UnrollTest, WritesAShortLoopOut) {
  EXPECT_EQ(Rewrite("  constexpr int64_t S = 2;\n"
                    "  for (int64_t p = 0; p < S; ++p) {\n"
                    "    c[p] = a[p + 1];\n"
                    "  }\n",
                    "unroll(p)"),
            "constexpr int64_t S = 2;\n"
            "c[0] = a[1];\n"
            "c[1] = a[2];\n");
}

TEST(UnrollTest, DeclarationsStayInTheirScope) {
  EXPECT_EQ(Rewrite("  for (int64_t p = 0; p < 1; ++p) {\n"
                    "    float t = a[p];\n    c[p] = t;\n  }\n",
                    "unroll(p)"),
            "{\n  float t = a[0];\n  c[0] = t;\n}\n");
}

TEST(UnrollTest, LongOrUnknownLoopsStay) {
  EXPECT_TRUE(Rewrite("  for (int64_t p = 0; p < N; ++p) {\n"
                      "    c[p] = 0;\n  }\n",
                      "unroll(p)")
                  .starts_with("refused"));
  EXPECT_TRUE(Rewrite("  for (int64_t p = 0; p < 9; ++p) {\n"
                      "    c[p] = 0;\n  }\n",
                      "unroll(p)")
                  .starts_with("refused"));
}

}  // namespace
}  // namespace coppice::agents::catalogue
