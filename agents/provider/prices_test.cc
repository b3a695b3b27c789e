#include "agents/provider/prices.h"

#include <gtest/gtest.h>

namespace coppice::agents {
namespace {

Prices SomePrices() {
  Prices prices;
  prices.rates = {2.0, 0.2, 2.5, 10.0};
  prices.long_input_tokens = 272'000;
  prices.long_rates = {4.0, 0.4, 5.0, 15.0};
  return prices;
}

// 1000 in, of which 600 read from a cache and 100 put there: 300 fresh.
// (300 * 2 + 600 * 0.2 + 100 * 2.5 + 50 * 10) / 1e6
//   = (600 + 120 + 250 + 500) / 1e6 = 0.00147.  Reasoning is output already.
TEST(PricesTest, PartsOfTheInputHavePricesOfTheirOwn) {
  Usage usage;
  usage.input_tokens = 1000;
  usage.cached_input_tokens = 600;
  usage.cache_write_tokens = 100;
  usage.output_tokens = 50;
  usage.reasoning_tokens = 40;
  EXPECT_DOUBLE_EQ(CostUsd(usage, SomePrices()), 0.00147);
}

// 100 in, all of them cached: 100 * 0.2 / 1e6, and nothing is fresh.
TEST(PricesTest, PartsBeyondTheWholeAreNotPaidBack) {
  Usage usage;
  usage.input_tokens = 100;
  usage.cached_input_tokens = 900;
  usage.cache_write_tokens = 50;
  EXPECT_DOUBLE_EQ(CostUsd(usage, SomePrices()), 2e-5);
  usage = {};
  usage.input_tokens = usage.output_tokens = -1;
  EXPECT_EQ(CostUsd(usage, SomePrices()), 0.0);
}

// 272001 * 4 + 10 * 15 = 1088154 millionths; one token fewer: 272000 * 2 + 100.
TEST(PricesTest, ALongInputMakesAllOfTheCallDearer) {
  Usage usage;
  usage.input_tokens = 272'001;
  usage.output_tokens = 10;
  EXPECT_DOUBLE_EQ(CostUsd(usage, SomePrices()), 1.088154);
  usage.input_tokens = 272'000;
  EXPECT_DOUBLE_EQ(CostUsd(usage, SomePrices()), 0.5441);
}

// Each input token may be a cache write: 1000 * 2.5 + 100 * 10 millionths.
TEST(PricesTest, TheBoundTakesTheDearestPriceOfEachToken) {
  EXPECT_DOUBLE_EQ(CostBoundUsd(1000, 100, SomePrices()), 0.0035);
}

}  // namespace
}  // namespace coppice::agents
