#include "engine/outside/reception.h"

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/attempt.h"
#include "store/nodes.h"
#include "store/together.h"

namespace coppice::engine {
namespace {

// Used time is stored at most this often: a transaction is not free.
constexpr double kAccountEvery_s = 5.0;

// How often one looks whether another process has judged something.
constexpr std::chrono::milliseconds kLookEvery(20);

}  // namespace

Reception::Reception(const Parts& parts, store::CampaignRow row,
                     Options options)
    : parts_(parts),
      row_(std::move(row)),
      options_(std::move(options)),
      owner_(ToString(FreshUuid(parts.clock))),
      queue_(parts.stations, parts.clock, {}),
      board_(parts, row_, {options_.database, owner_, options_.lease_s}),
      ledger_(parts, board_.mutex()),
      accounted_s_(parts.clock.Monotonic()) {}

Result<std::unique_ptr<Reception>> Reception::Open(const Parts& parts,
                                                   store::CampaignRow row,
                                                   Options options) {
  std::unique_ptr<Reception> reception(
      new Reception(parts, std::move(row), std::move(options)));
  TRY(presence, Presence::Join(reception->options_.database, reception->row_.id,
                               reception->owner_));
  reception->presence_.emplace(std::move(presence));
  reception->keeper_.emplace(reception->options_.database, reception->row_.id,
                             reception->owner_, reception->options_.lease_s,
                             parts.clock);
  const std::lock_guard lock(reception->board_.mutex());
  TRY_DONE(reception->board_.EndOrphans());
  TRY_DONE(reception->board_.Rebuild());
  return reception;
}

bool Reception::IsDraining() const {
  return options_.drain != nullptr && options_.drain->load();
}

Desk Reception::DeskNow() {
  return {board_,           ledger_,
          options_.drain,   [](CallId, std::int64_t) {},
          options_.outages, row_.spec.budget_attempts};
}

// What is undone in the file is undone on the board.
Result<void> Reception::Group(const std::function<Result<void>()>& body) {
  bool has_run = false;
  auto done = store::Together(parts_.database, [&]() -> Result<void> {
    if (std::exchange(has_run, true)) TRY_DONE(board_.Rebuild());
    return body();
  });
  if (!done) TRY_DONE(board_.Rebuild());
  return done;
}

Result<bool> Reception::IsDone() {
  const std::lock_guard lock(board_.mutex());
  TRY_DONE(board_.CatchUp());
  TRY(room, FindRoom());
  TRY(in_flight, store::Tickets(parts_.database).CountInFlight(row_.id));
  return room.is_spent && in_flight.attempts == 0;
}

Result<void> Reception::JudgeOrphans() {
  while (!IsDraining()) {
    const auto adopt = [&] {
      const std::lock_guard lock(board_.mutex());
      return board_.AdoptOrphan(
          keeper_->IsSteady() ? Orphans::kStoppedToo : Orphans::kDead,
          [](Stage stage, NodeId) { return stage == Stage::kCoded; });
    };
    TRY(orphan, adopt());
    if (!orphan) return {};
    TRY_DONE(Judge(*std::move(orphan)));
  }
  return {};
}

// REQUIRES: the attempt is ours, and coded.  Should another take it over, that
// one brings its node.
Result<void> Reception::Judge(AttemptRecord attempt) {
  const Desk desk = DeskNow();
  AttemptRunner runner(parts_, row_.id, row_.spec.seed, desk, queue_,
                       options_.confirm ? Proof::kFullTier : Proof::kNone);
  auto node = runner.Run(attempt);
  const std::lock_guard lock(board_.mutex());
  const auto done = node.and_then([&](NodeRecord& evaluated) {
    return board_.Commit(&attempt, evaluated);
  });
  if (done) return Account();
  board_.Leave(attempt);
  if (done.error().code == Errc::kLost) return {};
  return done;
}

Result<void> Reception::Account() {
  const double now_s = parts_.clock.Monotonic();
  if (now_s - accounted_s_ < kAccountEvery_s) return {};
  store::Campaigns campaigns(parts_.database);
  TRY(row, campaigns.Find(row_.spec.name));
  TRY_DONE(campaigns.Update(row_.id, row.state, now_s - accounted_s_,
                            parts_.clock.UnixSeconds()));
  accounted_s_ = now_s;
  return {};
}

// By whichever process: one that dies over it is stood in for.
Result<void> Reception::AwaitNode(AttemptId attempt) {
  for (;;) {
    {
      const std::lock_guard lock(board_.mutex());
      TRY(node, store::Tickets(parts_.database).NodeOf(attempt));
      if (node || IsDraining()) return {};
    }
    TRY_DONE(JudgeOrphans());
    std::this_thread::sleep_for(kLookEvery);
  }
}

}  // namespace coppice::engine
