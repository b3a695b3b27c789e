// What a campaign is compared with beside its root: trusted ways to do its
// task, measured as nodes are; and times of such that others measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice {
struct Environment;
struct Evaluation;
}  // namespace coppice

namespace coppice::store {

class Database;

// The expert solution that the task comes with.
inline constexpr const char* kExpertBaseline = "expert";

// An evaluation of it, with all samples, and an event.  History is kept.
// REQUIRES: `baseline` is not empty.
Result<void> AddBaselineEvaluation(Database& database, CampaignId campaign,
                                   const std::string& baseline,
                                   const Evaluation& evaluation, double now_s);

// The latest of any campaign on the same task that was made in such an
// environment and told something: neither inconclusive nor timed out.  Becomes
// the campaign's own latest if it is not, with the time at which it was made.
// None if there is none.
Result<std::optional<Evaluation>> AdoptBaselineEvaluation(
    Database& database, CampaignId campaign, const std::string& baseline,
    const Environment& environment, double now_s);

// The latest; none if it was never judged.
Result<std::optional<Evaluation>> ReadBaselineEvaluation(
    Database& database, CampaignId campaign, const std::string& baseline);

// What the view baselines says of one.
struct Baseline {
  std::string name;
  bool quoted = false;  // Others measured it, on hardware of that name.
  Verdict verdict = Verdict::kInconclusive;  // Of its latest evaluation.
  std::optional<Speedup> speedup;            // Over the root; set if it passed.
  // How many times as fast as that the campaign's winner is; set likewise.
  std::optional<Speedup> best_over;
  bool decided = false;  // That this is more than 1, or less.
};

// By name; a quoted one after what was measured here.
Result<std::vector<Baseline>> ReadBaselines(Database& database,
                                            CampaignId campaign);

// Names of those that were judged, sorted.
Result<std::vector<std::string>> ReadBaselineNames(Database& database,
                                                   CampaignId campaign);

// A line of a KernelBench baseline file.  Its times are of one call, over all
// trials; only campaigns on hardware of the same name are compared with it.
struct QuotedBaseline {
  std::int64_t level = 0;
  std::string task;      // As a campaign has it: "level1_19_ReLU".
  std::string baseline;  // "torch", "torch_compile_inductor_default", ...
  std::string hardware;
  double mean_s = 0.0;
  double std_s = 0.0;
  double min_s = 0.0;
  double max_s = 0.0;
  std::int64_t trials = 0;
  std::string origin;  // The file.
};

// All or none.  Returns how many are news: those that the file has already, as
// the last of their kind, are not added again.
Result<std::int64_t> AddQuotedBaselines(
    Database& database, const std::vector<QuotedBaseline>& quoted,
    double now_s);

}  // namespace coppice::store
