#include "agents/catalogue/lottery.h"

#include <gtest/gtest.h>

#include <map>

namespace coppice::agents::catalogue {
namespace {

struct Ticket {
  int number = 0;
  double weight = 0.0;
};

TEST(LotteryTest, DrawsInProportion) {
  std::map<int, int> wins;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    RandomStream stream(3, Purpose::kPlanAgent, i);
    std::vector<Ticket> tickets = {{1, 1.0}, {2, 3.0}, {3, 0.0}};
    ++wins[DrawOut(tickets, stream).number];
    EXPECT_EQ(tickets.size(), 2U);
  }
  // 250 and 750 expected; three standard deviations are 41.
  EXPECT_NEAR(wins[1], 250, 41);
  EXPECT_EQ(wins[3], 0);
}

TEST(LotteryTest, AScoreOfZeroWeighsNothing) {
  EXPECT_EQ(WeightOf(0.0, 0.8), 0.0);
  EXPECT_NEAR(WeightOf(0.8, 0.8), 1.71828, 1e-5);
}

}  // namespace
}  // namespace coppice::agents::catalogue
