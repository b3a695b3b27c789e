#include "engine/documents/measured_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/campaign/rival.h"
#include "store/records/hint.h"
#include "store/records/speedup.h"

namespace coppice::cli {
namespace {

TEST(SpeedupJsonTest, AnIntervalThatIsNotKnownIsNull) {
  EXPECT_EQ(SpeedupJson(std::nullopt).dump(),
            R"({"speedup":null,"speedup_low":null,"speedup_high":null})");
  EXPECT_EQ(SpeedupJson(Speedup{2.0, {}}).dump(),
            R"({"speedup":2.0,"speedup_low":null,"speedup_high":null})");
  EXPECT_EQ(SpeedupJson(Speedup{2.0, Interval{1.5, 2.5}}).dump(),
            R"({"speedup":2.0,"speedup_low":1.5,"speedup_high":2.5})");
}

TEST(ComparisonJsonTest, OnlyAnIntervalThatLeavesOneOutTellsApart) {
  EXPECT_EQ(ComparisonJson(Speedup{1.2, Interval{1.1, 1.3}})["told_apart"],
            true);
  EXPECT_EQ(ComparisonJson(Speedup{1.2, Interval{0.9, 1.5}})["told_apart"],
            false);
  EXPECT_EQ(ComparisonJson(Speedup{1.2, {}})["low"], nullptr);
  EXPECT_EQ(NextJson(std::nullopt), nullptr);
  EXPECT_EQ(HintJson(std::nullopt), nullptr);
}

}  // namespace
}  // namespace coppice::cli
