#include "engine/cli/report_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

std::size_t CountOf(std::string_view part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) {
    ++count;
  }
  return count;
}

// The plot begins at 60 and ends at 748, and its floor is at 208.
TEST(CurveDrawingScaleTest, TheFirstAttemptIsAtTheLeftAndTheLastAtTheRight) {
  const std::string svg = CurveDrawing({{NodeId{0}, 1.0}, {NodeId{4}, 2.0}},
                                       {{Verdict::kPassed, 1.0},
                                        {Verdict::kCrashed, {}},
                                        {Verdict::kInconclusive, {}},
                                        {Verdict::kPassed, 0.01},
                                        {Verdict::kPassed, 2.0}});
  EXPECT_THAT(svg, HasSubstr("<circle class=dot cx=60.0 cy="));
  EXPECT_THAT(svg, HasSubstr("<circle class=dot cx=748.0 cy=12.0 r=3 />"));
  // What is far slower than the root is at the bottom.
  EXPECT_THAT(svg, HasSubstr("<circle class=dot cx=576.0 cy=208.0 r=3 />"));
  // A quarter of the way, below the floor; nothing is known of the next.
  EXPECT_THAT(svg, HasSubstr("<path class=miss d=\"M232.0 216.0v12\"/>"));
  // From 1x at the half of the height by logarithms, held until it is 2x.
  EXPECT_THAT(svg, HasSubstr("<path class=curve d=\"M60.0 110.0H748.0V12.0"
                             "H748.0\"/>"));
}

TEST(CurveDrawingScaleTest, AScaleHasAFewMarks) {
  const auto marks = [](double top) {
    const std::string svg =
        CurveDrawing({{NodeId{0}, 1.0}, {NodeId{1}, top}},
                     {{Verdict::kPassed, 1.0}, {Verdict::kPassed, top}});
    return CountOf("<path class=axis", svg);
  };
  EXPECT_EQ(marks(1.0), 2u);    // 0.5x and 1x.
  EXPECT_EQ(marks(2.0), 2u);    // 2x would stand at the top's own place.
  EXPECT_EQ(marks(2.1), 3u);    // And 2x.
  EXPECT_EQ(marks(60.0), 7u);   // 2, 4, 8, 16 and 32.
  EXPECT_EQ(marks(100.0), 5u);  // By powers of 4: 4, 16 and 64.
  EXPECT_EQ(marks(1e6), 6u);    // By powers of 16: to 65536.
  EXPECT_LE(marks(1e300), 8u);
}

// 2,001 points are in 700 columns, of which each has its fastest.
TEST(CurveDrawingScaleTest, OfManyPointsAColumnHasItsFastest) {
  std::vector<CurveNode> points(2'001, {Verdict::kPassed, 1.0});
  points[1'000].speedup = 4.0;
  points[1'001].speedup = 3.0;
  points[5] = {Verdict::kCrashed, {}};
  points[6] = {Verdict::kCrashed, {}};
  const std::string svg =
      CurveDrawing({{NodeId{0}, 1.0}, {NodeId{1'000}, 4.0}}, points);
  EXPECT_EQ(CountOf("<circle", svg), 700u);
  EXPECT_EQ(CountOf("cy=12.0 r=3", svg), 1u);
  EXPECT_THAT(svg, HasSubstr("in 2000 attempts."));
  points.pop_back();
  EXPECT_EQ(CountOf("<circle", CurveDrawing({}, points)), 1'998u);
}

TEST(CurveDrawingScaleTest, ARootAloneIsADot) {
  const std::string svg =
      CurveDrawing({{NodeId{0}, 1.0}}, {{Verdict::kPassed, 1.0}});
  EXPECT_EQ(CountOf("<circle class=dot cx=60.0", svg), 1u);
  EXPECT_THAT(svg, HasSubstr("Nothing was faster than the root in 0 attempts"));
}

}  // namespace
}  // namespace coppice::cli
