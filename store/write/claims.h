// Kernels that came from elsewhere, with what is said of them there.  They are
// judged as candidates of a campaign, or only kept; no claim is ever taken for
// a measurement.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/candidate.h"
#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/speedup.h"
#include "store/records/uuid.h"
#include "store/records/verdict.h"

namespace coppice::store {

struct Claim {
  Candidate candidate;
  std::string origin;    // "h100.json:12": file, entry from 1.
  std::string author{};  // Who submitted it; empty: not said.
  // Unset: not said.
  std::optional<bool> is_correct{};
  std::optional<double> speedup{};    // Over what they compare with; > 0.
  std::optional<double> runtime_s{};  // > 0.
};

enum class Judging : std::uint8_t {
  kLater,  // Kept as it is; submitting it again has it judged.
  // Gets an attempt on the root that is coded and nobody's, so that whoever
  // runs the campaign evaluates it; the budget grows by it.
  kByAttempt,
};

struct Intake {
  std::int64_t claims = 0;      // That the campaign did not have.
  std::int64_t attempts = 0;    // Begun for these, or for earlier ones.
  std::int64_t duplicates = 0;  // Sources that it had, and nothing was to do.
  // The claim that the campaign has about each source, in the order of sources.
  std::vector<std::int64_t> ids{};
};

// All or none, in one transaction.  A source counts once in a campaign, with
// the first claim about it.  `mint` gives the uuids of attempts.  A campaign
// that was finished is paused by an attempt that begins.  kUsage if attempts
// are to begin and the root was not measured.
Result<Intake> SubmitClaims(Database& database, CampaignId campaign,
                            const std::vector<Claim>& claims, Judging judging,
                            const std::function<Uuid()>& mint, double now_s);

// What was said of a kernel, and what it did here.
struct ClaimLine {
  std::int64_t id = 0;
  std::string origin;
  std::string author;  // Empty: not said.
  std::optional<double> claimed_speedup;
  std::optional<double> claimed_runtime_s;
  std::optional<std::int64_t> decision;  // Of its attempt; unset: only kept.
  // Unset: not judged, or not yet.
  std::optional<NodeId> node;
  std::optional<Verdict> verdict;
  std::optional<Speedup> speedup;  // Over the root; set if it passes.
};

// In the order in which they came.
Result<std::vector<ClaimLine>> ReadClaims(Database& database,
                                          CampaignId campaign);

// kNotFound if there is none of that id.
Result<ClaimLine> ReadClaim(Database& database, CampaignId campaign,
                            std::int64_t id);

}  // namespace coppice::store
