// Trace sets of FlashInfer-Bench as campaigns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval {
struct TraceSet;
}
namespace coppice::store {
class Database;
}

namespace coppice::engine {

class Clock;

struct TraceImport {
  std::vector<std::string> campaigns;
  std::int64_t nodes = 0;
  std::int64_t evaluations = 0;  // Of nodes and baselines.
  // Solutions that are not there or have no latency, and definitions without
  // what makes a task or times of its root: (name, why).
  std::vector<std::pair<std::string, std::string>> left_out;
};

// A campaign "DEFINITION.traces" for each definition with times of its root;
// the other traced solutions are nodes below it, in order of time.  A root that
// is a Python reference and has no traces takes its times from the
// reference_latency_ms of the others'.  Nothing is measured.
//
// What TracesOf made comes back as it was, names, baselines and all: each node
// with every evaluation.  A solution's last traces that others measured
// are one evaluation.  kUsage, before anything is written: the file has such a
// campaign.
Result<TraceImport> ImportTraces(const std::filesystem::path& root,
                                 const eval::TraceSet& set,
                                 store::Database& database, const Clock& clock);

}  // namespace coppice::engine
