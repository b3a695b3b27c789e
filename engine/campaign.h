// A campaign's loop: recover what a crash left, then select, reserve and run
// attempts until the budget is spent or somebody asks to stop.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/parts.h"
#include "engine/progress.h"
#include "search/tree.h"
#include "store/attempts.h"
#include "store/campaigns.h"
#include "store/records/result.h"

namespace coppice::engine {

enum class Ending { kBudgetSpent, kDrained };

// The best node by the full tier; the root if that refuted the leaders.
struct Confirmation {
  NodeId node{};
  double root_runtime_s = 0.0;
  double runtime_s = 0.0;
};
double Speedup(const Confirmation& confirmation);

// The task's root as a candidate.
Candidate RootCandidate(const Task& task);

class Campaign {
 public:
  struct Options {
    std::filesystem::path database;
    double lease_s = 60.0;
    // Set when the user asks to stop: the attempt under way is committed, and
    // no further one, nor another measurement at the end, begins.  Not owned.
    const std::atomic<bool>* drain = nullptr;
    // Candidates that would become the best must pass the full tier; leaders
    // that never had to are measured in it at the end.
    bool confirm = true;
  };

  // REQUIRES: the caller holds the campaign's RunLock.
  Campaign(const Parts& parts, store::CampaignRow row, Options options);

  // Rebuilds the tree and works.  On an Error everything committed stays, and
  // running again continues.
  Result<Ending> Run(Observer& observer);

  // REQUIRES: Run succeeded.  There is no confirmation if it was drained.
  const Progress& progress() const { return progress_; }
  const std::optional<Confirmation>& confirmation() const {
    return confirmation_;
  }

 private:
  Result<void> Rebuild();
  Result<void> MeasureRoot(Observer& observer);
  Result<void> RunAttempt(AttemptRecord attempt, Observer& observer);
  Result<AttemptRecord> Reserve();
  Result<Ending> Confirm(Observer& observer);
  Result<std::optional<Confirmation>> ConfirmNode(NodeId id,
                                                  Observer& observer);
  Result<void> Account(store::CampaignState state);
  bool IsDraining() const;
  Result<Ending> Drained();  // Says so in the store.
  bool BudgetLeft() const;
  void Note(const NodeSummary& node);
  void NoteTime();

  const Parts& parts_;
  store::CampaignRow row_;
  const Options options_;
  const std::string owner_;  // Of this process's leases.
  search::Tree tree_;
  std::int64_t next_decision_ = 0;
  double started_ = 0.0;    // Monotonic.
  double accounted_ = 0.0;  // Of the time since started_, already stored.
  std::int64_t committed_here_ = 0;
  Progress progress_;
  std::optional<Confirmation> confirmation_;
};

}  // namespace coppice::engine
