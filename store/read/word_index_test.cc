#include "store/read/word_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::store {
namespace {

TEST(WordIndexTest, WhatSharesMoreAndRarerWordsIsMoreAlike) {
  const std::vector<std::string> documents = {
      "matrix product of float matrices", "softmax of each row",
      "log softmax rows of a matrix", "histogram of bytes"};
  const auto likeness = LikenessOf(documents, "softmax of rows");
  ASSERT_TRUE(likeness) << likeness.error().what;
  ASSERT_EQ(likeness->size(), 4U);
  // "of" is in all; "rows" is "row" without its ending.
  EXPECT_GT((*likeness)[1], 0.5);
  EXPECT_GT((*likeness)[2], 0.4);
  EXPECT_GT((*likeness)[2], 2 * (*likeness)[0]);
  EXPECT_GT((*likeness)[2], 2 * (*likeness)[3]);
}

TEST(WordIndexTest, TheTextItselfIsAlikeByOne) {
  const std::vector<std::string> documents = {"gemm square", "relu"};
  EXPECT_DOUBLE_EQ(LikenessOf(documents, "gemm square").value()[0], 1.0);
  EXPECT_DOUBLE_EQ(LikenessOf(documents, "gemm square").value()[1], 0.0);
}

// "OR", "NEAR" and quotes mean nothing but themselves.
TEST(WordIndexTest, NoTextIsAnError) {
  const std::vector<std::string> documents = {"a or b"};
  for (const char* text : {"", "\"", "OR", "a NEAR(", "(*) -x", "\xff"}) {
    EXPECT_TRUE(LikenessOf(documents, text)) << text;
  }
}

}  // namespace
}  // namespace coppice::store
