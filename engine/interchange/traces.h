// Campaigns as trace sets of FlashInfer-Bench; engine/run/trace_import.h reads
// them back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/formats/trace_directory.h"
#include "store/records/result.h"

namespace coppice::store {
struct CampaignRow;
class Database;
}  // namespace coppice::store

namespace coppice::engine {

// Nodes that came from traces have it in the place of a policy's name.
inline constexpr const char* kTracesPolicy = "traces";

struct TraceExport {
  eval::TraceSet set;
  // What the format has no place for.
  std::int64_t kernelbench = 0;     // Campaigns on such problems,
  std::int64_t gpu_mode = 0;        // on such,
  std::int64_t made_inputs = 0;     // on definitions that make their inputs,
  std::int64_t landscapes = 0;      // and on these.
  std::int64_t without_kernel = 0;  // Nodes.

  // What was left out, in one line; empty: nothing was.
  std::string LeftOut() const;
};

// Definitions, workloads and stored tensors of the campaigns' tasks; the root's
// solution (by author "baseline", or "reference" if that is Python), the
// oracle's, the expert's, every node's and every measured baseline's; and
// traces of each evaluation of these, on each workload.  kUsage: two campaigns
// have different tasks of one name.
Result<TraceExport> TracesOf(store::Database& database,
                             const std::vector<store::CampaignRow>& campaigns);

// "2026-01-02T03:04:05.123456+00:00"; 0 if `text` is no such time.
std::string TimestampText(double unix_s);
double UnixSecondsOf(const std::string& timestamp);

}  // namespace coppice::engine
