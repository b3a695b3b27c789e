#include "agents/catalogue/kernel.h"

#include <gtest/gtest.h>

namespace coppice::agents::catalogue {
namespace {

constexpr std::string_view kSource =
    "#include <cstdint>\n"
    "\n"
    "static inline float Twice(float x) { return 2.0f * x; }\n"
    "\n"
    "// y = 2 x\n"
    "extern \"C\" void run(const float* x, float scale,\n"
    "                    float* __restrict__ y, int64_t N) {\n"
    "  for (int64_t i = 0; i < N; ++i) {\n"
    "    y[i] = Twice(x[i]);\n"
    "  }\n"
    "}\n";

TEST(KernelTest, FindsTheEntryAmongHelpers) {
  const auto kernel = ParseKernel(kSource);
  ASSERT_TRUE(kernel) << kernel.error();
  EXPECT_EQ(kernel->first_line, 5);  // Its comment belongs to it.
  EXPECT_EQ(kernel->body_line, 7);
  EXPECT_EQ(kernel->last_line, 11);
  ASSERT_EQ(kernel->params.size(), 4U);
  EXPECT_EQ(kernel->params[0].Element(), "float");
  EXPECT_TRUE(kernel->params[0].IsInput());
  EXPECT_FALSE(kernel->params[1].IsPointer());
  EXPECT_FALSE(kernel->params[2].IsInput());
  EXPECT_EQ(kernel->params[2].name, "y");
  ASSERT_EQ(kernel->body.size(), 1U);
  EXPECT_EQ(kernel->body[0].first_line, 8);
  EXPECT_TRUE(kernel->names.contains("Twice"));
}

TEST(KernelTest, SaysWhyAFileIsNone) {
  EXPECT_EQ(ParseKernel("int x;").error(),
            "the source has no extern \"C\" entry");
  EXPECT_FALSE(ParseKernel(""));
  EXPECT_FALSE(ParseKernel("extern \"C\" void run("));
  EXPECT_FALSE(ParseKernel("extern \"C\" void run(Thing x) {}"));
  EXPECT_FALSE(ParseKernel("extern \"C\" void run(int x) { if (x) {"));
}

TEST(KernelTest, ReplacesWholeLines) {
  EXPECT_EQ(WithLines("a\nb\nc\nd\n", {2, 3}, "X\n"), "a\nX\nd\n");
  EXPECT_EQ(WithLines("a\nb", {2, 2}, "X\n"), "a\nX\n");
}

}  // namespace
}  // namespace coppice::agents::catalogue
