#include "agents/catalogue/pack.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::string_view kTransposedProduct =
    "  for (int64_t i = 0; i < M; ++i) {\n"
    "    for (int64_t j = 0; j < N; ++j) {\n"
    "      float sum = 0.0f;\n"
    "      for (int64_t k = 0; k < K; ++k) {\n"
    "        sum += a[i * K + k] * b[j * K + k];\n"
    "      }\n"
    "      c[i * N + j] = sum;\n"
    "    }\n"
    "  }\n";

TEST(PackTest, CopiesInTheOrderOfUse) {
  const std::string text = Rewrite(kTransposedProduct, "pack(b, j)");
  EXPECT_TRUE(
      text.starts_with("static thread_local std::vector<float> b_pack_buffer;\n"
                       "b_pack_buffer.resize(K * N);\n"
                       "float* b_packed = b_pack_buffer.data();\n"))
      << text;
  EXPECT_NE(text.find("b_packed[k_from * N + (j_from_at + j_from_lane)] = "
                      "b[(j_from_at + j_from_lane) * K + k_from];"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("sum += a[i * K + k] * b_packed[k * N + j];"),
            std::string::npos)
      << text;
}

TEST(PackTest, KnowsWhatIsReadAcrossAgainAndAgain) {
  const StmtList list = ParseStmts(kTransposedProduct);
  const Packable packable = FindPackable(list[0], {});
  EXPECT_EQ(packable.array, "b");
  EXPECT_EQ(packable.loop, "j");
}

TEST(PackTest, NeedsWholeLoops) {
  EXPECT_TRUE(Rewrite(kTransposedProduct, "pack(b, i)").starts_with("refused"));
  EXPECT_TRUE(Rewrite(kTransposedProduct, "pack(z, j)").starts_with("refused"));
  EXPECT_TRUE(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                      "    for (int64_t k = 0; k < K; ++k) {\n"
                      "      c[i] += a[(i * K + k) / 2];\n    }\n  }\n",
                      "pack(a, i)")
                  .starts_with("refused"));
}

// The copy reads all of a box, where nothing asks for more.
TEST(PackTest, OnlyWhatIsReadAnywayIsCopied) {
  const auto why_not = [](const std::string& fold,
                          const std::string& inner = "0; k < K; ++k") {
    return WhyNot(FoldOf(fold, inner), "pack(b, j)");
  };
  const std::string no = "its subscripts do not run over whole loops";
  EXPECT_EQ(why_not("s += a[k] * b[j * K + k];"), "applies");
  EXPECT_EQ(why_not("if (j < M) {\n          s += b[j * K + k];\n        }"),
            no);
  EXPECT_EQ(why_not("s += j < M ? b[j * K + k] : 0.0f;"), no);
  EXPECT_EQ(why_not("s += j < M && b[j * K + k] > 0.0f ? 1.0f : 0.0f;"), no);
  // The condition alone is read always.
  EXPECT_EQ(why_not("s += b[j * K + k] > 0.0f ? 1.0f : 0.0f;"), "applies");
  // The last row of a triangle has all columns, or the first.
  EXPECT_EQ(why_not("s += b[j * K + k];", "0; k <= j; ++k"), "applies");
  EXPECT_EQ(why_not("s += b[j * K + k];", "0; k < N - j; ++k"), no);
  EXPECT_EQ(why_not("s += b[j * K + k];", "0; k < j / 2; ++k"), no);
  EXPECT_EQ(why_not("s += b[j * K + k];", "1; k < K; ++k"), no);
  EXPECT_EQ(why_not("s += b[j * K + k];", "0; k < K; k += 2"), no);
  EXPECT_EQ(why_not("s += b[j * K + k] * b[k];"), no);
  EXPECT_EQ(why_not("const float* p = b + j * K;\n        s += b[j * K + k];"),
            no);
}

}  // namespace
}  // namespace coppice::agents::catalogue
