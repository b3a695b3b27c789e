#include "agents/catalogue/kernel.h"

#include <gtest/gtest.h>

#include <utility>

#include "agents/catalogue/lines.h"

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
  const std::string entry = "extern \"C\" void run";
  for (const auto& [source, why] : {
           std::pair<std::string, const char*>{
               "", "the source has no extern \"C\" entry"},
           {"int x;", "the source has no extern \"C\" entry"},
           {"extern \"C\" int run() { return 0; }",
            "the source has no extern \"C\" entry"},
           {entry, "the entry has no parameter list"},
           {entry + "(", "a parameter of the entry has an unknown type"},
           {entry + "(Thing x) {}",
            "a parameter of the entry has an unknown type"},
           {entry + "(int) {}", "a parameter of the entry has an unknown type"},
           {entry + "(int x);", "the entry has no body"},
           {entry + "(int x) { if (x) {", "the body of the entry does not end"},
       }) {
    const auto kernel = ParseKernel(source);
    ASSERT_FALSE(kernel) << source;
    EXPECT_EQ(kernel.error(), why) << source;
  }
}

TEST(KernelTest, ElementsHaveTheTypeThatTheirArrayHas) {
  const auto kernel = ParseKernel(
      "extern \"C\" void run(const float* __restrict__ x, const int8_t* q) {\n"
      "  const double table[2] = {1.0, 2.0};\n"
      "  std::vector<int32_t> sums(4);\n"
      "  const float* row = x + 4;\n"
      "  int64_t n = 3;\n"
      "}\n");
  ASSERT_TRUE(kernel);
  for (const auto& [array, element] : {std::pair{"x", "float"},
                                       {"q", "int8_t"},
                                       {"table", "double"},
                                       {"sums", "int32_t"},
                                       {"row", "float"},
                                       {"n", "int64_t"},
                                       {"z", ""}}) {
    EXPECT_EQ(kernel->ElementOf(array), element) << array;
  }
  EXPECT_EQ(WholeNumbersOf(*kernel), (std::set<std::string>{"q", "sums", "n"}));
}

TEST(KernelTest, ANewNameIsNobodys) {
  EXPECT_EQ(FreshName("s", {"t"}), "s");
  EXPECT_EQ(FreshName("s", {"s", "s2"}), "s1");
  EXPECT_EQ(FreshName("s", {"s"}, {"s1"}), "s2");
}

TEST(KernelTest, LinesAreCountedFromOne) {
  EXPECT_EQ(LinesOf("a\nb\nc", {2, 3}), "b\nc");
  EXPECT_EQ(LinesOf("a\nb\nc", {1, 1}), "a\n");
  EXPECT_EQ(LinesOf("a\n", {2, 5}), "");
}

TEST(KernelTest, ReplacesWholeLines) {
  EXPECT_EQ(WithLines("a\nb\nc\nd\n", {2, 3}, "X\n"), "a\nX\nd\n");
  EXPECT_EQ(WithLines("a\nb", {2, 2}, "X\n"), "a\nX\n");
}

// What an expression does not say of the functions that it calls.
TEST(KernelTest, FunctionsThatDoMoreThanTheySayAreKnown) {
  const auto kinds = [](const std::string& above, const std::string& body) {
    const auto kernel =
        ParseKernel(above + "extern \"C\" void run(float* c, int64_t N) {\n" +
                    body + "\n}\n");
    std::string raw;
    if (!kernel) return raw;
    for (const Stmt& stmt : kernel->body) {
      raw += stmt.kind == StmtKind::kRaw ? 'r' : '-';
    }
    return raw;
  };
  const std::string use = "c[0] = F(N);";
  EXPECT_EQ(kinds("float F(int64_t n) { return n; }\n", use), "-");
  EXPECT_EQ(kinds("float F(const float& n) { return n; }\n", use), "-");
  EXPECT_EQ(kinds("float F(float& n) { return n += 1; }\n", use), "r");
  EXPECT_EQ(kinds("float F(const float* x, int* n) { return ++*n; }\n", use),
            "r");
  EXPECT_EQ(
      kinds("float F(int n) { static int all = 0; return all += n; }\n", use),
      "r");
  EXPECT_EQ(kinds("float F(int n) { static const int w[2] = {1, 2}; "
                  "return w[n]; }\n",
                  use),
            "-");
  EXPECT_EQ(kinds("#define F(n) ((n) == 1 ? 2 : (n) <= 3)\n", use), "-");
  EXPECT_EQ(kinds("#define F(n) (n += 1)\n", use), "r");
  EXPECT_EQ(kinds("#define F(n) n++\n", use), "r");
  // A lambda is raw itself.
  EXPECT_EQ(kinds("", "auto F = [&](int n) { return all += n; };\n" + use),
            "rr");
}

TEST(KernelTest, OnlyAConstPointerIsAnInput) {
  const auto kernel = ParseKernel(
      "extern \"C\" void run(const float* a, float* c, const int N) {\n"
      "  const float* row = a;\n}\n");
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(kernel->IsInput("a"));
  for (const char* other : {"c", "N", "row", "b"}) {
    EXPECT_FALSE(kernel->IsInput(other)) << other;
  }
}

}  // namespace
}  // namespace coppice::agents::catalogue
