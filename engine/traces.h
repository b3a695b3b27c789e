// Campaigns as trace sets of FlashInfer-Bench, and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/clock.h"
#include "eval/whole_set.h"
#include "store/campaigns.h"
#include "store/database.h"
#include "store/records/result.h"

namespace coppice::engine {

// Definitions, workloads and stored tensors of the campaigns' tasks; the root's
// solution (by author "baseline", or "reference" if that is Python), the
// oracle's, the expert's and every node's; and a trace of each node on each
// workload.  Nodes without a kernel have none, and
// campaigns on landscapes and KernelBench problems are left out.  kUsage: two
// campaigns have different tasks of one name.
Result<eval::TraceSet> TracesOf(
    store::Database& database,
    const std::vector<store::CampaignRow>& campaigns);

struct TraceImport {
  std::vector<std::string> campaigns;
  std::int64_t nodes = 0;
  // Solutions that are not there, and definitions without what makes a task,
  // or without traces of its root: (name, why).
  std::vector<std::pair<std::string, std::string>> left_out;
};

// A campaign "DEFINITION.traces" for each definition of which the root has
// traces; the other traced solutions are nodes below it, in order of time, with
// the evaluations that their last traces tell of.  Nothing is measured.  What
// TracesOf made comes back as it was, names and all.  kBusy: the file has such
// a campaign.
Result<TraceImport> ImportTraces(const std::filesystem::path& root,
                                 const eval::TraceSet& set,
                                 store::Database& database, const Clock& clock);

// "2026-01-02T03:04:05.123456+00:00"; 0 if `text` is no such time.
std::string TimestampText(double unix_s);
double UnixSecondsOf(const std::string& timestamp);

}  // namespace coppice::engine
