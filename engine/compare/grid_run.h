// Runs the campaigns of a grid, several side by side.  Each thread has its own
// connection to the database and its own factory; within a campaign attempts
// come one after the other, so that policies see what they chose.  Processes on
// one file divide the campaigns: each is claimed by who runs it.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/campaign/outage_listener.h"
#include "engine/campaign/progress.h"
#include "engine/factory/campaign_factory.h"
#include "engine/run/grid.h"

namespace coppice::engine {

struct Outage;
class Outages;

struct GridProgress {
  std::int64_t cells = 0;
  std::int64_t done = 0;  // At the end of their budget.
  std::int64_t done_here =
      0;  // Those of them that were not when this run began.
};

// Called by one thread at a time, from any.
class GridObserver {
 public:
  virtual ~GridObserver() = default;
  virtual void OnCommit(const Cell& cell, const Progress& campaign,
                        const GridProgress& grid) = 0;
  // When it came to its end; not if it had before this run.
  virtual void OnCell(const Cell& cell, double speedup,
                      const GridProgress& grid) = 0;
  // Something of the outside is waited for, by one of them.
  virtual void OnOutage(const Outage&) {}
};

class GridRun {
 public:
  using FactoryMaker =
      std::function<Result<std::unique_ptr<CampaignFactory>>()>;

  // Factories are made of settings that Settle has seen, and with `outages`,
  // which the observer is told of as long as this lives.  All is outlived.
  GridRun(const Grid& grid, std::filesystem::path database,
          FactoryMaker make_factory, Outages& outages, GridObserver& observer);

  // Gives the campaigns that are there the grid's budget and creates the others
  // in one transaction: the file knows the whole grid however early it is left.
  Result<void> Begin(CampaignFactory& factory, store::Database& database);

  enum class Ending { kDone, kDrained, kCapReached };
  // REQUIRES: Begin succeeded.  On an Error everything committed stays; running
  // again continues.
  Result<Ending> Run(int side_by_side);

  // Tells the observer.
  const OutageListener& listener() const { return listener_; }

  // The cap that was reached, in words.
  const std::string& cap_reached() const { return cap_reached_; }

 private:
  class Watch;
  struct Hands;
  Result<void> Work();
  Result<Hands> Equip();
  std::optional<std::size_t> NextCell();
  enum class Held { kByUs, kByAnother };
  Result<Held> TryCell(Hands& hands, const Cell& cell);
  Result<void> RunCell(Hands& hands, const Cell& cell,
                       const store::CampaignRow& row);
  void NoteDrained();
  void NoteDone(const Cell& cell, double speedup, bool here);

  const Grid& grid_;
  const std::vector<Cell> cells_;
  const std::filesystem::path database_;
  const FactoryMaker make_factory_;
  Outages& outages_;
  GridObserver& observer_;
  std::atomic<bool> stop_{false};    // Begin no further campaign.
  std::mutex mutex_;                 // Guards the observer and what follows.
  std::deque<std::size_t> waiting_;  // Cells that no thread has taken yet.
  GridProgress progress_;
  bool is_drained_ = false;
  std::string cap_reached_;
  const OutageListener listener_;  // Last: it is told of by all the above.
};

}  // namespace coppice::engine
