// The life of attempts.  Every method is one durable transaction: when it
// returns, the stage's product survives kill -9.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/records/attempt.h"
#include "store/records/candidate.h"
#include "store/records/directive.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Database;

// Who works on an unfinished attempt.
struct Lease {
  AttemptId attempt{};
  std::int64_t decision = 0;
  std::string owner;
  double until_s = 0.0;  // Unix time.
  Stage stage = Stage::kReserved;
};

class Attempts {
 public:
  explicit Attempts(Database& database) : database_(database) {}

  // kBusy if the decision index is taken by another process: what it decided is
  // to be looked at first; or if one of the directives that are `taken` up with
  // it waits no longer.  A person's kernel makes it coded.
  Result<AttemptId> Reserve(
      CampaignId campaign, const Reservation& reservation,
      const std::vector<TakenUp>& taken = {},
      const std::optional<Candidate>& inserted = std::nullopt);

  // Gives a reserved attempt what somebody else than an agent wrote; it becomes
  // kCoded without a call.
  Result<void> GiveCandidate(const Holding& holding,
                             const Candidate& candidate);

  // Attempts without a node, by decision, with all they have achieved.
  Result<std::vector<AttemptRecord>> Unfinished(CampaignId campaign);

  // The leases of unfinished attempts, by decision.
  Result<std::vector<Lease>> Leases(CampaignId campaign);

  // How many further evaluations the last of the decisions saw that saw no more
  // than so many nodes.  0: there is none.
  Result<std::int64_t> FurtherSeen(CampaignId campaign, std::int64_t nodes);

  // With all it has achieved.
  Result<AttemptRecord> Load(AttemptId attempt);

  // Takes over an attempt whose lease has run out by `now_s`, is our own, or is
  // of the owner `dead`, a process that is known to be, and marks its
  // unanswered calls outcome_unknown.  Whoever held it has lost it.  kBusy if
  // somebody else holds it, or it is finished.
  Result<AttemptRecord> Adopt(AttemptId attempt, const std::string& owner,
                              double now_s, double lease_until_s,
                              const std::string& dead = "");

  Result<void> RenewLeases(CampaignId campaign, const std::string& owner,
                           double lease_until_s);

  // To another owner in the same epoch: who has it goes on under that name.
  // kLost: it was taken over.
  Result<void> HandOver(const Holding& holding, const std::string& owner,
                        double lease_until_s);
  // Nobody's, in a later epoch: whoever comes next has it.  kLost likewise.
  Result<void> Release(const Holding& holding, double now_s);

 private:
  Database& database_;
};

}  // namespace coppice::store
