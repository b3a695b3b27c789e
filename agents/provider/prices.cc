#include "agents/provider/prices.h"

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
  // Parts that are more than the whole never make it cheaper.
  const std::int64_t input = std::max<std::int64_t>(usage.input_tokens, 0);
  const std::int64_t cached =
      std::clamp<std::int64_t>(usage.cached_input_tokens, 0, input);
  const std::int64_t written =
      std::clamp<std::int64_t>(usage.cache_write_tokens, 0, input - cached);
  return Usd(input - cached - written, rates.input) +
         Usd(cached, rates.cached_input) + Usd(written, rates.cache_write) +
         Usd(std::max<std::int64_t>(usage.output_tokens, 0), rates.output);
}

double CostBoundUsd(std::int64_t input_tokens, std::int64_t output_tokens,
                    const Prices& prices) {
  const Rates& rates = RatesFor(input_tokens, prices);
  return Usd(input_tokens, std::max(rates.input, rates.cache_write)) +
         Usd(output_tokens, rates.output);
}

}  // namespace coppice::agents
