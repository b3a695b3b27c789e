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

// Each word brings its header, to its alphabetical place among those there.
TEST(SpliceTest, WordsBringTheirHeaders) {
  const std::string source =
      "#include <cstdint>\n"
      "#include <random>\n"
      "extern \"C\" void run(float* c) {\n"
      "  c[0] = 1;\n"
      "}\n";
  for (const auto& [statement, headers] :
       {std::pair{"c[0] = 2;", "#include <cstdint>\n#include <random>\n"},
        {"c[0] = std::min(c[0], c[1]);",
         "#include <algorithm>\n#include <cstdint>\n#include <random>\n"},
        {"c[0] = INFINITY;",
         "#include <cmath>\n#include <cstdint>\n#include <random>\n"},
        {"c[0] = std::numeric_limits<int>::max();",
         "#include <cstdint>\n#include <limits>\n#include <random>\n"},
        {"std::swap(c[0], c[1]);",
         "#include <cstdint>\n#include <random>\n#include <utility>\n"},
        {"std::vector<float> t(4);",
         "#include <cstdint>\n#include <random>\n#include <vector>\n"}}) {
    Lines span{4, 4};
    const std::string text =
        Splice(*ParseKernel(source), span, {ParseStmts(statement), {}});
    EXPECT_EQ(text, std::string(headers) +
                        "extern \"C\" void run(float* c) {\n  " + statement +
                        "\n}\n");
  }
}

}  // namespace
}  // namespace coppice::agents::catalogue
