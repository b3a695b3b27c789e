#include "engine/documents/measured_json.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/campaign/rival.h"
#include "store/records/hint.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"

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

TEST(VerdictsJsonTest, EachVerdictHasItsCountUnderItsName) {
  VerdictCounts counts{};
  counts[static_cast<std::size_t>(Verdict::kPassed)] = 3;
  counts[static_cast<std::size_t>(Verdict::kInconclusive)] = 1;
  EXPECT_EQ(VerdictsJson(counts).dump(),
            R"({"passed":3,"compile_failed":0,"crashed":0,"timed_out":0,)"
            R"("wrong_output":0,"rejected":0,"no_candidate":0,)"
            R"("inconclusive":1})");
}

TEST(NextJsonTest, WhoComesNextIsNamedWithHowFarItIsBehind) {
  const engine::Rival rival{NodeId{3}, Speedup{1.25, Interval{1.0, 1.5}}};
  EXPECT_EQ(NextJson(rival).dump(),
            R"({"ratio":1.25,"low":1.0,"high":1.5,"told_apart":false,)"
            R"("node":3})");
}

TEST(HintJsonTest, AHintIsOfItsRounds) {
  EXPECT_EQ(HintJson(Hint{1.5, 1.25, 1.75, 12}).dump(),
            R"({"factor":1.5,"low":1.25,"high":1.75,"samples":12})");
}

}  // namespace
}  // namespace coppice::cli
