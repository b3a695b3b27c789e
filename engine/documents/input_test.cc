#include "engine/documents/input.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace coppice::cli {
namespace {

TEST(ReadAllTest, TakesEveryByte) {
  const std::string text(100'000, '\0');
  std::istringstream in(text);
  EXPECT_EQ(ReadAll(in, "x").value(), text);
}

TEST(ReadAllTest, WhatHasNoEndIsRefused) {
  std::ifstream endless("/dev/zero");
  EXPECT_EQ(ReadAll(endless, "k.cc").error().what, "k.cc: more than 16 MiB");
}

TEST(ReadAllTest, AnEmptyFileIsNoError) {
  std::istringstream in;
  EXPECT_EQ(ReadAll(in, "x").value(), "");
}

TEST(ReadAllTest, WhatCannotBeReadIsNamed) {
  std::istringstream broken;
  broken.setstate(std::ios::badbit);
  EXPECT_EQ(ReadAll(broken, "k.cc").error().what, "k.cc: cannot be read");
}

TEST(ReadFileTest, SaysWhyItCannot) {
  EXPECT_EQ(ReadFile("no.cc").error().what, "no.cc: No such file or directory");
  EXPECT_EQ(ReadFile(".").error().what, ".: Is a directory");
  EXPECT_EQ(ReadFile("").error().what, ": No such file or directory");
  EXPECT_EQ(ReadFile("/dev/null").value(), "");
}

// 16 MiB are read; one more byte is more than anybody wrote.
TEST(ReadAllTest, TheLimitIsReadAndNoMore) {
  constexpr std::size_t kMost = 16 << 20;
  std::istringstream most(std::string(kMost, 'x'));
  EXPECT_EQ(ReadAll(most, "x").value().size(), kMost);
  std::istringstream more(std::string(kMost + 1, 'x'));
  EXPECT_EQ(ReadAll(more, "x").error().code, Errc::kUsage);
}

TEST(ReadAllTest, BlocksAreJoined) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += std::to_string(i);
  std::istringstream in(text);
  EXPECT_EQ(ReadAll(in, "x").value(), text);
}

}  // namespace
}  // namespace coppice::cli
