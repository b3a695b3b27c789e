#include "search/simulated_source.h"

#include <gtest/gtest.h>

namespace coppice::search {
namespace {

constexpr std::string_view kBroken =
    "sim basic\n"
    "# a comment\n"
    "\n"
    "layout 2\n"
    "tile 3\n"
    "  vectorise 0 bug wrong_output stubborn\n"
    "unroll 1\n"
    "prefetch 6\n"
    "fuse 0\n";

TEST(SimulatedSourceTest, ReadsSettingsAndTheBug) {
  const auto source = ParseSimulatedSource(kBroken);
  ASSERT_TRUE(source.has_value()) << source.error().what;
  EXPECT_EQ(source->landscape, "basic");
  EXPECT_EQ(source->settings, (std::array<int, kSettings>{2, 3, 0, 1, 6, 0}));
  EXPECT_EQ(source->bug,
            (SimulatedBug{2, Verdict::kWrongOutput, /*stubborn=*/true}));
}

TEST(SimulatedSourceTest, OrderOfSettingsIsFree) {
  const auto source = ParseSimulatedSource(
      "sim x\nfuse 1\nprefetch 2\nunroll 3\nvectorise 4\ntile 5\nlayout 3\n");
  ASSERT_TRUE(source.has_value()) << source.error().what;
  EXPECT_EQ(source->settings, (std::array<int, kSettings>{3, 5, 4, 3, 2, 1}));
}

TEST(SimulatedSourceTest, WhatIsRenderedParsesToTheSame) {
  const auto source = ParseSimulatedSource(kBroken);
  ASSERT_TRUE(source.has_value());
  const auto again = ParseSimulatedSource(Render(*source));
  ASSERT_TRUE(again.has_value()) << again.error().what;
  EXPECT_EQ(*again, *source);
}

std::string ErrorOf(std::string_view text) {
  const auto source = ParseSimulatedSource(text);
  return source ? "none" : source.error().what;
}

TEST(SimulatedSourceTest, NamesTheLineOfWhatItCannotRead) {
  EXPECT_EQ(ErrorOf(""), "line 1: expected 'sim LANDSCAPE'");
  EXPECT_EQ(ErrorOf("int main() {}\n"), "line 1: expected 'sim LANDSCAPE'");
  EXPECT_EQ(ErrorOf("sim basic\n# x\ntle 2\n"),
            "line 3: unknown setting 'tle'");
  EXPECT_EQ(ErrorOf("sim basic\ntile\n"),
            "line 2: tile takes a number from 0 to 6");
  EXPECT_EQ(ErrorOf("sim basic\ntile 7\n"),
            "line 2: tile takes a number from 0 to 6");
  EXPECT_EQ(ErrorOf("sim basic\nlayout -1\n"),
            "line 2: layout takes a number from 0 to 3");
  EXPECT_EQ(ErrorOf("sim basic\ntile 2x\n"),
            "line 2: tile takes a number from 0 to 6");
  EXPECT_EQ(ErrorOf("sim basic\ntile 2\ntile 3\n"),
            "line 3: tile is set twice");
  EXPECT_EQ(ErrorOf("sim basic\ntile 2\n"), "line 3: layout is not set");
}

TEST(SimulatedSourceTest, RefusesBugsThatItCannotRead) {
  const std::string unreadable = "line 2: unreadable after the number";
  EXPECT_EQ(ErrorOf("sim basic\ntile 2 fast\n"), unreadable);
  EXPECT_EQ(ErrorOf("sim basic\ntile 2 bug\n"), unreadable);
  EXPECT_EQ(ErrorOf("sim basic\ntile 2 bug passed\n"), unreadable);
  EXPECT_EQ(ErrorOf("sim basic\ntile 2 bug crashed twice\n"), unreadable);
  EXPECT_EQ(ErrorOf("sim basic\ntile 2 bug crashed\nfuse 1 bug crashed\n"),
            "line 3: a second bug");
}

}  // namespace
}  // namespace coppice::search
