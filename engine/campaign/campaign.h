// A campaign's loop: threads take over what crashes left, select, reserve and
// run attempts until the budget is spent or somebody asks to stop.  Several
// processes may run one campaign.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/campaign/extent.h"
#include "engine/campaign/progress.h"
#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice {
struct AttemptRecord;
struct Directive;
struct Evaluation;
struct Task;
enum class Tier : std::uint8_t;
}  // namespace coppice
namespace coppice::store {
class Database;
}

namespace coppice::engine {

struct CampaignParts;
class Clock;
class EvaluationQueue;
class LeaseKeeper;
class Ledger;
class LiveTree;
class Outages;
class ProcessLock;

class Campaign {
 public:
  struct Options {
    std::filesystem::path database;
    double lease_s = 60.0;
    // Set when the user asks to stop: no attempt and no other measurement at
    // the end begins, and calls to language models are given up, which leaves
    // their attempts with the stages they have.  The others are committed.  Not
    // owned.
    const std::atomic<bool>* drain = nullptr;
    // Candidates that would become the best must pass the full tier; a winner
    // that never had to is measured in it at the end.
    bool confirm = true;
    int parallel = 1;  // Attempts at the same time.
    // An attempt that a model gives no answer to in time keeps its stages, and
    // is run again once no other is to be begun, or none has got an answer for
    // a while.  So many in a row, for each at the same time, end Run() with
    // kUnanswered; unset: it goes on trying.
    std::optional<int> model_failures{};
    Extent extent = Extent::kAttempts;
    // What `parts.database` and `parts.stations` wait by.  Not owned; null:
    // nothing else of the outside is waited for.
    Outages* outages = nullptr;
  };

  Campaign(const CampaignParts& parts, store::CampaignRow row, Options options);
  ~Campaign();

  // Rebuilds the tree and works.  On an Error everything committed stays, the
  // campaign is paused, and running again continues.  kBusy if another process
  // has the campaign alone.  `observer` is called from any thread, by one at a
  // time; but what it is told of devices and outages may come beside the rest.
  Result<Ending> Run(Observer& observer);

  // REQUIRES: Run succeeded.
  const Progress& progress() const { return progress_; }
  // Whether the best node is confirmed, as the leaders say.
  bool is_confirmed() const { return is_confirmed_; }
  // Which cap was reached, in words; empty: none.
  const std::string& cap_reached() const { return cap_reached_; }
  // Which rule was met, in words; empty: none.
  const std::string& rule_met() const { return rule_met_; }

 private:
  Result<Ending> Proceed(Observer& observer);
  Result<void> MeasureRoot(Observer& observer);
  Result<void> WorkSideBySide(Observer& observer);
  Result<void> Work(Observer& observer);
  Result<std::optional<AttemptRecord>> NextAttempt();
  Result<std::optional<AttemptRecord>> AdoptOrphan();
  Result<bool> MayReserve();
  Result<void> HearPeople();
  bool HoldsBack(const Directive* holding);
  void TellOfDirectives();
  Result<bool> JudgeAsked(std::unique_lock<std::mutex>& lock);
  Result<void> RunAttempt(AttemptRecord attempt, Observer& observer);
  Result<double> PutOff(AttemptRecord attempt, const Error& error,
                        Observer& observer);
  bool IsSilent() const;
  Result<void> FlushModels();
  Result<std::optional<ProcessLock>> AwaitTurn();
  Result<Ending> Confirm(Observer& observer);
  Result<bool> SettleInPassing(std::unique_lock<std::mutex>& lock);
  Result<void> Settle(NodeId undecided, Observer& observer);
  Result<void> EvaluateAgain(NodeId id, Tier tier, Observer& observer,
                             std::optional<DirectiveId> asked = std::nullopt);
  void Count(const Evaluation& evaluation);
  Result<void> Account(store::CampaignState state);
  void Hear(CallId call, std::int64_t tokens, Observer& observer);
  bool IsDraining() const;
  Result<Ending> Paused(Ending ending);  // Says so in the store.
  Result<std::int64_t> DecisionLimit() const;
  Result<bool> IsTimeOver() const;
  Result<bool> IsWorkLeft() const;
  Result<void> Refresh();
  Result<bool> EndsWithNothingLeft();
  void NoteTime();

  const CampaignParts& parts_;
  store::Database& database_;  // These three are of the parts.
  const Task& task_;
  const Clock& clock_;
  store::CampaignRow row_;
  const Options options_;
  const std::string owner_;  // Of this process's leases.
  struct Shared;             // By all threads of this process.
  const std::unique_ptr<Shared> shared_;
  EvaluationQueue& queue_;
  Observer* observer_ = nullptr;     // While it runs; of devices set aside.
  std::atomic<bool> failed_{false};  // A thread met an Error: begin no more.
  LiveTree& live_tree_;              // Its mutex guards all that follows.
  Ledger& ledger_;
  double started_ = 0.0;    // Monotonic.
  double accounted_ = 0.0;  // Of the time since started_, already stored.
  std::int64_t committed_here_ = 0;
  std::vector<AttemptRecord> put_off_;  // Ours still, for want of an answer.
  int unanswered_ = 0;                  // Attempts, since the last commit.
  Progress progress_;
  std::unique_ptr<LeaseKeeper> keeper_;    // While it runs.
  std::map<CallId, std::int64_t> coming_;  // Tokens of answers that come.
  bool is_confirmed_ = false;
  bool is_settling_ = false;        // A thread of ours is at it.
  std::int64_t further_shown_ = 0;  // Evaluations that progress_ knows.
  std::string cap_reached_;
  std::string rule_met_;
  std::optional<DirectiveId> held_by_{};  // A pause or gate, as was told.
  std::set<DirectiveId> passed_over_;     // Likewise, since they are unusable.
  std::set<DirectiveId> limits_;  // That it goes by, or that came before.
  double used_usd_ = 0.0;         // By requests, when people were heard.
};

}  // namespace coppice::engine
