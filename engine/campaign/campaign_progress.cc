// How a campaign stands, for who watches, and what people ask of it meanwhile.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/campaign/campaign.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/process/clock.h"
#include "engine/steering/directive_text.h"
#include "engine/steering/steering.h"
#include "store/read/history.h"
#include "store/records/node_summary.h"
#include "store/write/wire_calls.h"

namespace coppice::engine {

// Pauses and limits hold at once, whether or not anything is to be begun.
Result<void> Campaign::HearPeople() {
  TRY_DONE(live_tree_.CatchUp());
  const double here = clock_.Monotonic() - started_;
  TRY(used, store::ReadUsed(database_, row_.id));
  used_usd_ = used.usd;
  TRY_DONE(live_tree_.HearPeople({.seconds = row_.elapsed_s + here,
                                  .usd = used.usd,
                                  .tokens = used.tokens}));
  // Those of before are in its row and settings already.
  ledger_.FollowLimits(live_tree_.in_force(), limits_, row_.spec);
  progress_.budget_attempts = row_.spec.budget_attempts;
  TellOfDirectives();
  return {};
}

// Tells the observer of all that people asked, and of what cannot be done
// though it holds.
void Campaign::TellOfDirectives() {
  const std::vector<Directive> news = live_tree_.TakeNews();
  if (observer_ == nullptr) return;
  for (const Directive& each : news) observer_->OnSteered(progress_, each);
  for (const Directive* each : Unusable(live_tree_.in_force())) {
    if (!passed_over_.insert(each->id).second) continue;
    observer_->OnAside("directive " + std::to_string(Index(each->id)) + " of " +
                       each->author +
                       " is passed over: " + CheckSaid(*each).error().what);
  }
}

// Says so, once, of a pause or a gate that holds the next attempt back.
bool Campaign::HoldsBack(const Directive* holding) {
  if (holding == nullptr) {
    held_by_.reset();
    return false;
  }
  if (held_by_ == holding->id) return true;
  held_by_ = holding->id;
  if (observer_ == nullptr) return true;
  const std::string by = holding->author;
  observer_->OnAside(
      holding->kind == DirectiveKind::kPause
          ? "paused by " + by + ": `coppice steer resume` goes on, Ctrl-C ends"
          : "attempt " + std::to_string(live_tree_.decisions()) +
                " waits for an approval, as " + by +
                " wants: `coppice steer approve attempts 1` lets it begin, "
                "Ctrl-C ends");
  return true;
}

// What is told to whoever watches, by the tree as it is now.
Result<void> Campaign::Refresh() {
  if (live_tree_.nodes() == 0) return {};
  const NodeSummary& root = live_tree_.Node(kRootNode);
  progress_.attempts = live_tree_.nodes() - 1;
  progress_.verdicts = live_tree_.verdicts();
  --progress_.verdicts.at(static_cast<std::size_t>(root.verdict));
  progress_.root_runtime_s = root.runtime_s;
  TRY_ASSIGN(progress_.nothing_left, EndsWithNothingLeft());
  const NodeId best = live_tree_.Best().value_or(kRootNode);
  progress_.since_gain = progress_.attempts - Index(best);
  if (best == progress_.best && live_tree_.further() == further_shown_)
    return {};
  TRY(line, store::ReadLine(database_, row_.id, best));
  progress_.best = best;
  if (line.speedup) progress_.best_speedup = *line.speedup;
  further_shown_ = live_tree_.further();
  return {};
}

void Campaign::NoteTime() {
  const double here = clock_.Monotonic() - started_;
  progress_.elapsed_s = row_.elapsed_s + here;
  if (committed_here_ == 0) return;
  const auto left =
      static_cast<double>(row_.spec.budget_attempts - progress_.attempts);
  double left_s = here / static_cast<double>(committed_here_) * left;
  if (row_.spec.budget_s) {
    left_s = std::min(left_s, *row_.spec.budget_s - progress_.elapsed_s);
  }
  progress_.left_s = std::max(left_s, 0.0);
}

}  // namespace coppice::engine
