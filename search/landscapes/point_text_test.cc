#include "search/landscapes/point_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::search {
namespace {

const std::string kPassing =
    "sim hill/1\n"
    "# A point of a simulated landscape, see docs/landscapes.md.\n"
    "root_runtime_s 0.01\n"
    "key 00f3a1c02b7d9e44\n"
    "depth 2\n"
    "log_speedup 0.31\n"
    "ceiling 0.92\n"
    "progress 0\n"
    "basin_start -0.2\n"
    "genome 18446744073709551615\n"
    "at_best passed\n"
    "measured 0.304\n";

std::string With(const std::string& line, const std::string& other) {
  std::string text = kPassing;
  return text.replace(text.find(line), line.size(), other);
}

std::string ErrorOf(const std::string& source) {
  const auto parsed = ParsePoint(source);
  return parsed ? "parsed" : parsed.error().what;
}

TEST(PointTextTest, SaysWhatAPointIs) {
  const auto text = ParsePoint(kPassing);
  ASSERT_TRUE(text.has_value()) << text.error().what;
  EXPECT_EQ(text->landscape, "hill/1");
  EXPECT_EQ(text->root_runtime_s, 0.01);
  EXPECT_EQ(text->point.key, 0x00f3a1c02b7d9e44u);
  EXPECT_EQ(text->point.depth, 2);
  EXPECT_EQ(text->point.position.basin_start, -0.2);
  EXPECT_EQ(text->point.position.genome, 18446744073709551615u);
  EXPECT_EQ(text->point.verdict, Verdict::kPassed);
  EXPECT_EQ(text->point.measured, 0.304);
  EXPECT_EQ(Render(*text), kPassing);
}

TEST(PointTextTest, ABugTakesTheMeasurementsPlace) {
  const std::string failing =
      With("measured 0.304\n", "bug wrong_output stubborn\n");
  const auto text = ParsePoint(failing);
  ASSERT_TRUE(text.has_value()) << text.error().what;
  EXPECT_EQ(text->point.verdict, Verdict::kWrongOutput);
  EXPECT_TRUE(text->point.is_stubborn);
  EXPECT_EQ(Render(*text), failing);
}

TEST(PointTextTest, AHintFollowsABug) {
  const std::string hinted =
      With("measured 0.304\n", "bug wrong_output\nhint 0.41\n");
  const auto text = ParsePoint(hinted);
  ASSERT_TRUE(text.has_value()) << text.error().what;
  EXPECT_EQ(text->point.hint, 0.41);
  EXPECT_EQ(Render(*text), hinted);
  EXPECT_EQ(ErrorOf(With("measured 0.304\n", "bug wrong_output\nhint x\n")),
            "line 13: expected hint and its value");
}

TEST(PointTextTest, APartThatWasChangedFollowsWhatItMayBe) {
  const std::string edited =
      With("at_best passed\n", "at_best passed\npart 3\n");
  const auto text = ParsePoint(edited);
  ASSERT_TRUE(text.has_value()) << text.error().what;
  EXPECT_EQ(text->point.part, 3);
  EXPECT_EQ(Render(*text), edited);
  EXPECT_EQ(ParsePoint(kPassing)->point.part, 0);
}

TEST(PointTextTest, TheRootEndsAfterItsRuntime) {
  const PointText root = {"nk/3", 0.25, {}};
  EXPECT_EQ(ParsePoint(Render(root)).value(), root);
}

TEST(PointTextTest, NumbersKeepEveryBit) {
  PointText text = *ParsePoint(kPassing);
  text.point.position.log_speedup = std::sqrt(2.0) / 3.0;
  text.point.measured = -1e-17;
  EXPECT_EQ(ParsePoint(Render(text)).value(), text);
}

TEST(PointTextTest, CommentsAndBlankLinesChangeNothing) {
  EXPECT_EQ(ParsePoint("\n# hello\n" + kPassing + "  # bye\n").value(),
            ParsePoint(kPassing).value());
}

TEST(PointTextTest, DamageIsReportedByItsLine) {
  EXPECT_EQ(ErrorOf(""), "line 1: expected sim and its value");
  EXPECT_EQ(ErrorOf("sim\n"), "line 1: expected sim and its value");
  EXPECT_EQ(ErrorOf("sim hill/1\n"),
            "line 2: expected root_runtime_s and its value");
  EXPECT_EQ(ErrorOf("sim hill/1\nroot_runtime_s -1\n"),
            "root_runtime_s: must be positive");
  EXPECT_EQ(ErrorOf(With("key 00f3a1c02b7d9e44", "key f3")),
            "line 4: expected key and its value");
  EXPECT_EQ(ErrorOf(With("depth 2", "depth -2")),
            "line 5: expected depth and its value");
  EXPECT_EQ(ErrorOf(With("0.31", "nan")),
            "line 6: expected log_speedup and its value");
  EXPECT_EQ(ErrorOf(With("0.31", "0.31x")),
            "line 6: expected log_speedup and its value");
  EXPECT_EQ(ErrorOf(With("progress 0\n", "")),
            "line 8: expected progress and its value");
  EXPECT_EQ(ErrorOf(With("at_best passed", "at_best grand")),
            "line 11: expected at_best and its value");
  EXPECT_EQ(ErrorOf(With("measured 0.304\n", "")),
            "line 12: expected measured and its value");
  EXPECT_EQ(ErrorOf(With("measured 0.304", "bug passed")),
            "line 12: expected bug, a verdict, and perhaps 'stubborn'");
  EXPECT_EQ(ErrorOf(kPassing + "more\n"), "line 13: expected the end");
}

// 10 ms / e^0.304 = 7.3786 ms.
TEST(PointTextTest, ARuntimeIsTheRootsOverTheSpeedup) {
  EXPECT_NEAR(RuntimeOf(ParsePoint(kPassing)->point, 0.01), 7.3786e-3, 1e-7);
}

}  // namespace
}  // namespace coppice::search
