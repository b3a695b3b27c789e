#include "engine/cli/input.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

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
  std::ifstream absent("no such file");
  EXPECT_EQ(ReadAll(absent, "k.cc").error().what, "k.cc: cannot be read");
  std::ifstream directory(".");
  EXPECT_EQ(ReadAll(directory, ".").error().what, ".: cannot be read");
}

}  // namespace
}  // namespace coppice::cli
