// The field's metrics over the campaigns of a benchmark, for people or as JSON;
// docs/metrics.md has their formulas and sources.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/documents/verb.h"
#include "store/read/metrics.h"

namespace coppice::cli {

// "71 %", or "71 % (2 undecided)".
std::string ShareText(const store::Share& share);

// `efficiency_is_bound`: floors are of less than a call does, since PyTorch
// states no operations.
void PrintMetrics(const store::Metrics& metrics, bool efficiency_is_bound,
                  Streams& streams);
nlohmann::ordered_json MetricsJson(const store::Metrics& metrics,
                                   bool efficiency_is_bound);

}  // namespace coppice::cli
