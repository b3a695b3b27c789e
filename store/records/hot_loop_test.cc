#include "store/records/hot_loop.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice {
namespace {

// What was observed of it stands before the first empty line.
TEST(HotLoopTest, IsTheLineBeforeTheFirstBlockOfCode) {
  const struct {
    const char* digest;
    const char* loop;
  } cases[] = {
      {"Memory bound.\n\nOf its loops one is hot.\nLoop of 8 instructions:\n"
       "```\nvmovaps\n```\nMore.",
       "Loop of 8 instructions:"},
      {"Memory bound.\n\nLoop:\n```\nadd\n```\nOther:\n```\nmul\n```", "Loop:"},
      {"Memory bound.\n\n\n```\nadd\n```", ""},
      {"Memory bound.\n\nNo loop at all.", ""},
      {"Memory bound.\nLoop:\n```\nadd\n```", ""},
      {"Memory bound.", ""},
      {"", ""},
  };
  for (const auto& [digest, loop] : cases) {
    EXPECT_EQ(HotLoopOf(digest), loop) << digest;
  }
}

// It is a part of the digest, which must outlive it.
TEST(HotLoopTest, IsNoCopy) {
  const std::string digest = "A.\n\nLoop:\n```\nadd\n```";
  EXPECT_EQ(HotLoopOf(digest).data(), digest.data() + digest.find("Loop"));
}

}  // namespace
}  // namespace coppice
