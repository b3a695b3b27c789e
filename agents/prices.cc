#include "agents/prices.h"

#include <algorithm>

namespace coppice::agents {
namespace {

const Rates& RatesFor(std::int64_t input_tokens, const Prices& prices) {
  const bool is_long =
      prices.long_input_tokens > 0 && input_tokens > prices.long_input_tokens;
  return is_long ? prices.long_rates : prices.rates;
}

double Usd(std::int64_t tokens, double usd_per_million) {
  return 1e-6 * static_cast<double>(tokens) * usd_per_million;
}

}  // namespace

double CostUsd(const Usage& usage, const Prices& prices) {
  const Rates& rates = RatesFor(usage.input_tokens, prices);
  const std::int64_t fresh =
      usage.input_tokens - usage.cached_input_tokens - usage.cache_write_tokens;
  return Usd(fresh, rates.input) +
         Usd(usage.cached_input_tokens, rates.cached_input) +
         Usd(usage.cache_write_tokens, rates.cache_write) +
         Usd(usage.output_tokens, rates.output);
}

double CostBoundUsd(std::int64_t input_tokens, std::int64_t output_tokens,
                    const Prices& prices) {
  const Rates& rates = RatesFor(input_tokens, prices);
  return Usd(input_tokens, std::max(rates.input, rates.cache_write)) +
         Usd(output_tokens, rates.output);
}

}  // namespace coppice::agents
