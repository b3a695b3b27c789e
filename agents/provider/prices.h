// What tokens cost.
#pragma once

#include <cstdint>
#include <string>

#include "store/records/model_call.h"

namespace coppice::agents {

// US dollars per million tokens.
struct Rates {
  double input = 0.0;
  double cached_input = 0.0;
  double cache_write = 0.0;
  double output = 0.0;
};

struct Prices {
  Rates rates;
  // A larger input makes the whole call cost `long_rates`.  0: never.
  std::int64_t long_input_tokens = 0;
  Rates long_rates{};
  std::string version;  // Of the table: "2026-11-21".
};

double CostUsd(const Usage& usage, const Prices& prices);

// The most that so many tokens can cost.
double CostBoundUsd(std::int64_t input_tokens, std::int64_t output_tokens,
                    const Prices& prices);

}  // namespace coppice::agents
