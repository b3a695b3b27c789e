#include "search/landscapes/point_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "store/records/random.h"

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

// Any point that there may be, and no bit of it is lost.
TEST(PointTextTest, EveryPointIsReadBack) {
  RandomStream stream(8, Purpose::kSimulation, 0);
  const auto number = [&] {
    return 100.0 * stream.Normal() * stream.Uniform();
  };
  for (int i = 0; i < 500; ++i) {
    PointText text;
    text.landscape = "nk/" + std::to_string(i);
    text.root_runtime_s = stream.Uniform();
    Point& point = text.point;
    point.key = stream.NextU64() >> stream.Below(60);
    point.depth = 1 + static_cast<int>(stream.Below(9));
    point.position = {number(), number(),         number(),
                      number(), stream.NextU64(), Verdict::kPassed};
    if (stream.Below(2) == 0) point.position.at_best = Verdict::kWrongOutput;
    point.part = static_cast<int>(stream.Below(4));
    if (stream.Below(2) == 0) {
      point.measured = number();
    } else {
      point.verdict = static_cast<Verdict>(1 + stream.Below(7));
      point.is_stubborn = stream.Below(2) == 0;
      if (stream.Below(2) == 0) point.hint = number();
    }
    const auto again = ParsePoint(Render(text));
    ASSERT_TRUE(again) << again.error().what << "\n" << Render(text);
    ASSERT_EQ(*again, text) << Render(text);
  }
}

// Each line that is left out, and each that comes twice.
TEST(PointTextTest, EveryLineIsThereOnceAndInItsPlace) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < kPassing.size();) {
    const std::size_t end = kPassing.find('\n', at) + 1;
    lines.push_back(kPassing.substr(at, end - at));
    at = end;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i][0] == '#') continue;
    std::string without;
    std::string twice;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (k != i) without += lines[k];
      twice += lines[k];
      if (k == i) twice += lines[k];
    }
    EXPECT_FALSE(ParsePoint(without)) << lines[i];
    EXPECT_FALSE(ParsePoint(twice)) << lines[i];
  }
}

TEST(PointTextTest, NumbersThatAreNoneAreRefused) {
  for (const char* number : {"", "inf", "-inf", "nan", "0x1p3", "+1", "1,5",
                             "1e999", "--1", "1 2"}) {
    EXPECT_FALSE(
        ParsePoint(With("measured 0.304", std::string("measured ") + number)))
        << number;
  }
  for (const char* key : {"00f3a1c02b7d9e4", "00f3a1c02b7d9e444",
                          "0xf3a1c02b7d9e44", "00f3a1c02b7d9e4g"}) {
    EXPECT_FALSE(ParsePoint(With("00f3a1c02b7d9e44", key))) << key;
  }
  EXPECT_FALSE(ParsePoint("sim hill/1\nroot_runtime_s 0\n"));
  EXPECT_FALSE(
      ParsePoint(With("18446744073709551615", "18446744073709551616")));
  EXPECT_FALSE(ParsePoint(With("depth 2", "depth 2.0")));
  EXPECT_FALSE(ParsePoint(With("measured 0.304", "bug wrong_output shy")));
}

}  // namespace
}  // namespace coppice::search
