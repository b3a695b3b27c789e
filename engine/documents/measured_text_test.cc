#include "engine/documents/measured_text.h"

#include <gtest/gtest.h>

#include <optional>

#include "engine/campaign/rival.h"
#include "store/records/speedup.h"

namespace coppice::cli {
namespace {

TEST(MeasuredTextTest, FactorsAndMoneyHaveTheirDigits) {
  EXPECT_EQ(TimesText(8.314), "8.31x");
  EXPECT_EQ(DollarText(0.25), "$0.2500");
  EXPECT_EQ(TimeBySpeedup(4.0, Speedup{2.0, {}}),
            "2.00 s where the root took 4.00 s");
}

TEST(MeasuredTextTest, DigitsAreRoundedAndNeverDropped) {
  EXPECT_EQ(TimesText(0.004), "0.00x");
  EXPECT_EQ(TimesText(1.0), "1.00x");
  EXPECT_EQ(TimesText(1234.567), "1234.57x");
  EXPECT_EQ(DollarText(0.0), "$0.0000");
  EXPECT_EQ(DollarText(0.00005), "$0.0001");
  EXPECT_EQ(DollarText(12.34567), "$12.3457");
  // 10.3 ms / 53 is 194 us.
  EXPECT_EQ(TimeBySpeedup(0.0103, Speedup{53.0, {}}),
            "194 us where the root took 10.3 ms");
}

// By an interval that leaves 1 out they are told apart; without one, not.
TEST(MeasuredTextTest, AWinnerThatIsNotToldApartHasAMark) {
  EXPECT_EQ(NodeText(NodeId{7}), "node 7");
  EXPECT_EQ(WinnerText(NodeId{7}, std::nullopt), "7");
  const engine::Rival behind{NodeId{3}, Speedup{1.2, Interval{1.1, 1.3}}};
  EXPECT_EQ(WinnerText(NodeId{7}, behind), "7");
  const engine::Rival beside{NodeId{3}, Speedup{1.2, Interval{0.9, 1.5}}};
  EXPECT_EQ(WinnerText(NodeId{7}, beside), "7 ~");
  EXPECT_EQ(WinnerText(NodeId{7}, engine::Rival{NodeId{3}, Speedup{9.0, {}}}),
            "7 ~");
}

}  // namespace
}  // namespace coppice::cli
