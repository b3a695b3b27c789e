#include "agents/catalogue/strides.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::string_view kProduct =
    "for (int64_t i = 0; i < M; ++i) {"
    "  for (int64_t j = 0; j < N; ++j) {"
    "    float sum = 0.0f;"
    "    for (int64_t k = 0; k < K; ++k) { sum += a[i * K + k] * b[k * N + j]; "
    "}"
    "    c[i * N + j] = sum;"
    "  }"
    "}";

TEST(StridesTest, CountsHowAccessesMove) {
  const Stmt nest = ParseStmts(kProduct)[0];
  const Strides of_j = StridesOf(nest.body[0], {});
  EXPECT_EQ(of_j.none, 1);  // a
  EXPECT_EQ(of_j.unit, 2);  // b, c
  EXPECT_EQ(of_j.other, 0);
  const Strides of_i = StridesOf(nest, {});
  EXPECT_EQ(of_i.none, 1);   // b
  EXPECT_EQ(of_i.other, 2);  // a, c
}

TEST(StridesTest, BlocksTheColumnsAndTheRowsThatShareThem) {
  const Stmt nest = ParseStmts(kProduct)[0];
  const auto loops = FindBlockLoops(nest, {});
  ASSERT_TRUE(loops);
  EXPECT_EQ(loops->columns->name, "j");
  EXPECT_EQ(loops->rows->name, "i");
}

TEST(StridesTest, AConvolutionBlocksOutputChannelsNotImageRows) {
  const Stmt nest = ParseStmts(
      "for (int64_t k = 0; k < K; ++k) {"
      "  for (int64_t i = 0; i < H; ++i) {"
      "    for (int64_t j = 0; j < W; ++j) {"
      "      float sum = 0.0f;"
      "      for (int64_t p = 0; p < 3; ++p) {"
      "        sum += x[(i + p) * (W + 2) + j] * w[k * 3 + p];"
      "      }"
      "      y[(k * H + i) * W + j] = sum;"
      "    }"
      "  }"
      "}")[0];
  const auto loops = FindBlockLoops(nest, {});
  ASSERT_TRUE(loops);
  EXPECT_EQ(loops->columns->name, "j");
  EXPECT_EQ(loops->rows->name, "k");  // All k load the same x.
}

TEST(StridesTest, AnElementwiseLoopIsNotBlocked) {
  EXPECT_FALSE(FindBlockLoops(
      ParseStmts("for (int64_t i = 0; i < N; ++i) { y[i] = x[i]; }")[0], {}));
}

}  // namespace
}  // namespace coppice::agents::catalogue
