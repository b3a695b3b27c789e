#include "agents/catalogue/hoist.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(HoistTest, DividesOnce) {
  EXPECT_EQ(Rewrite("  float sum = a[0];\n"
                    "  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = c[j] / sum;\n"
                    "  }\n",
                    "hoist(j)"),
            "float sum = a[0];\n"
            "const float j_inverse = 1.0f / sum;\n"
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  c[j] = c[j] * j_inverse;\n"
            "}\n");
}

TEST(HoistTest, LoadsOnceWhatStays) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = a[j] * b[M] + b[M];\n"
                    "  }\n",
                    "hoist(j)"),
            "const float j_fixed = b[M];\n"
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  c[j] = a[j] * j_fixed + j_fixed;\n"
            "}\n");
}

TEST(HoistTest, WhatTheLoopWritesDoesNotStay) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = c[0] + a[j];\n  }\n",
                    "hoist(j)"),
            "refused: hoist(j): nothing in the loop stays the same");
}

TEST(HoistTest, PromotesAnElementToAScalar) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t k = 0; k < K; ++k) {\n"
                    "      c[i] += a[i * K + k];\n"
                    "    }\n"
                    "  }\n",
                    "promote(k)"),
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  float c_kept = c[i];\n"
            "  for (int64_t k = 0; k < K; ++k) {\n"
            "    c_kept += a[i * K + k];\n"
            "  }\n"
            "  c[i] = c_kept;\n"
            "}\n");
}

TEST(HoistTest, AnElementThatMovesIsNotPromoted) {
  EXPECT_EQ(Rewrite("  for (int64_t k = 0; k < K; ++k) {\n"
                    "    c[k] += a[k];\n  }\n",
                    "promote(k)"),
            "refused: promote(k): no element is used by every iteration");
}

}  // namespace
}  // namespace coppice::agents::catalogue
