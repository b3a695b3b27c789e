#include "agents/catalogue/splice.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"

namespace coppice::agents::catalogue {
namespace {

TEST(SpliceTest, LeavesTheRestByteForByte) {
  const auto kernel = ParseKernel(
      "#include <cstdint>\n"
      "\n"
      "// odd   spacing\n"
      "extern \"C\" void run(float* c,int64_t N) {\n"
      "   c[0]=1;  // kept\n"
      "    c[1] = 2;\n"
      "}\n");
  ASSERT_TRUE(kernel);
  Lines span{6, 6};
  const std::string text = Splice(
      *kernel, span,
      {ParseStmts("c[1] = Twice(std::max(1, 2));"), {"int Twice(int x);\n"}});
  EXPECT_EQ(text,
            "#include <algorithm>\n"
            "#include <cstdint>\n"
            "\n"
            "int Twice(int x);\n"
            "\n"
            "// odd   spacing\n"
            "extern \"C\" void run(float* c,int64_t N) {\n"
            "   c[0]=1;  // kept\n"
            "    c[1] = Twice(std::max(1, 2));\n"
            "}\n");
  EXPECT_EQ(span, (Lines{9, 9}));
}

TEST(SpliceTest, BringsAHelperOnce) {
  const std::string source =
      "int Twice(int x);\n"
      "\n"
      "extern \"C\" void run(float* c) {\n"
      "  c[0] = 1;\n"
      "}\n";
  Lines span{4, 4};
  EXPECT_EQ(Splice(*ParseKernel(source), span,
                   {ParseStmts("c[0] = 1;"), {"int Twice(int x);\n"}}),
            source);
}

}  // namespace
}  // namespace coppice::agents::catalogue
