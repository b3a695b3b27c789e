// How much one call to a provider may come to, before it is made.
#pragma once

#include <cstdint>
#include <optional>

namespace coppice::agents {

struct Prices;

// What a call may use at most.
struct Bound {
  std::int64_t input_tokens = 0;
  std::optional<std::int64_t> output_tokens{};  // Unset: nobody limits it.
  std::optional<double> cost_usd{};  // Unset: that, or no price is known.
  // The provider is told to hold the answer to sampling.max_output_tokens.
  bool is_told = false;
  double input_usd = 0.0;  // Of cost_usd, what the input may cost.
};

// The same with what its tokens cost, where that is known.
Bound Priced(Bound bound, const std::optional<Prices>& prices);

}  // namespace coppice::agents
