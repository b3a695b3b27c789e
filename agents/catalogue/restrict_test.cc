#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(RestrictTest, PromisesForThePointersInUse) {
  const std::string text =
      Rewrite("  for (int64_t i = 0; i < N; ++i) {\n    c[i] = a[i];\n  }\n",
              "restrict()");
  EXPECT_EQ(text,
            "const float* __restrict__ a_p = static_cast<const "
            "float*>(__builtin_assume_aligned(a, 64));\n"
            "float* __restrict__ c_p = "
            "static_cast<float*>(__builtin_assume_aligned(c, 64));\n"
            "for (int64_t i = 0; i < N; ++i) {\n"
            "  c_p[i] = a_p[i];\n"
            "}\n");
}

TEST(RestrictTest, PromisesOnce) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < N; ++i) {\n"
                    "    c[i] = a[i];\n  }\n",
                    "restrict() + restrict()"),
            "refused: restrict: the pointers are restricted already");
}

// The loop that is kept as text goes on using `c` itself.
TEST(RestrictTest, NotIfUnknownCodeUsesThePointerToo) {
  EXPECT_EQ(WhyNot("  for (int64_t i = 0; i < N; ++i) {\n"
                   "    c[i] = a[i];\n"
                   "    while (c[i] > 1.0f) {\n      c[i] *= 0.5f;\n    }\n"
                   "  }\n",
                   "restrict()"),
            "unknown code uses `c`");
  // A part of another name is no use.
  EXPECT_EQ(WhyNot("  int64_t cc = 4;\n"
                   "  for (int64_t i = 0; i < N; ++i) {\n"
                   "    c[i] = a[i];\n"
                   "    while (cc > 1) {\n      cc -= 1;\n    }\n"
                   "  }\n",
                   "restrict()"),
            "applies");
}

}  // namespace
}  // namespace coppice::agents::catalogue
