#include "engine/cli/output.h"

#include <gtest/gtest.h>

#include "engine/cli/input.h"
#include "store/scratch.h"

namespace coppice::cli {
namespace {

TEST(WriteFileTest, TheTextTakesThePlaceOfWhatWasThere) {
  const store::ScratchDirectory directory;
  const auto path = directory.File("x.txt");
  ASSERT_TRUE(WriteFile(path, "a longer text"));
  ASSERT_TRUE(WriteFile(path, "short"));
  EXPECT_EQ(ReadFile(path.string()), "short");
}

TEST(WriteFileTest, WhatCannotBeWrittenIsNamed) {
  const auto full = WriteFile("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Errc::kIo);
  EXPECT_EQ(full.error().what, "/dev/full: cannot be written");
  EXPECT_FALSE(WriteFile("/nowhere/x.txt", "text"));
}

}  // namespace
}  // namespace coppice::cli
