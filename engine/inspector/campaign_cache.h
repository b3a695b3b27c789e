// What is kept of whole campaigns while the server runs, so that only what is
// new is read again.  The campaigns asked for longest ago are forgotten once
// all take more than a limit together.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include "store/database.h"
#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice::inspector {

// A Value of each campaign; by its uuid, since a file may be replaced.  A Value
// has `bytes()`, which any thread may ask.
template <class Value>
class PerCampaign {
 public:
  explicit PerCampaign(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  std::shared_ptr<Value> Of(const store::CampaignRow& campaign) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find(entries_, campaign.spec.uuid.bytes, &Entry::uuid);
    if (found == entries_.end()) {
      entries_.push_front(
          {campaign.spec.uuid.bytes, std::make_shared<Value>()});
    } else {
      entries_.splice(entries_.begin(), entries_, found);
    }
    return entries_.front().value;
  }

  // Forgets what is too much.  Whoever uses one of these goes on with it.
  void Trim() {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    auto entry = entries_.begin();
    for (; entry != entries_.end(); ++entry) {
      bytes += entry->value->bytes();
      if (bytes > most_bytes_ && entry != entries_.begin()) break;
    }
    entries_.erase(entry, entries_.end());
  }

 private:
  struct Entry {
    decltype(Uuid::bytes) uuid;
    std::shared_ptr<Value> value;
  };
  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // The one asked for last goes first.
};

// Whoever has to wait longer is told so, and keeps no handler.
inline constexpr std::chrono::seconds kMostWait{20};
inline Error StillReading() {
  return {Errc::kBusy, "the campaign is still being read: ask again"};
}

// Columns that grow as ReadNews and Add of store/ have it.  One thread at a
// time reads what is new, and others use what is there meanwhile: no lock that
// they need is held over a question to the file.
template <class Columns>
class GrowingCache {
 public:
  explicit GrowingCache(std::size_t most_bytes) : kept_(most_bytes) {}

  // Calls `use` with the columns as they are now, which others may use, too.
  template <class Use>
  auto With(store::Database& database, const store::CampaignRow& campaign,
            Use&& use) -> std::invoke_result_t<Use, const Columns&> {
    const std::shared_ptr<Growing> kept = kept_.Of(campaign);
    {
      const std::unique_lock updating(kept->updating, kMostWait);
      if (!updating) return tl::unexpected<Error>(StillReading());
      // Those of the store, found by their arguments.
      TRY(news, ReadNews(database, campaign.id, kept->columns));
      if (!news.is_none) {  // Which would wait for who reads.
        const std::lock_guard lock(kept->mutex);
        Add(std::move(news), kept->columns);
        kept->size = kept->columns.bytes();
      }
    }
    kept_.Trim();
    const std::shared_lock lock(kept->mutex);
    return use(std::as_const(kept->columns));
  }

 private:
  struct Growing {
    std::timed_mutex updating;
    std::shared_mutex mutex;
    Columns columns;  // Changed by who holds both.
    std::atomic<std::size_t> size = 0;
    std::size_t bytes() const { return size; }
  };
  PerCampaign<Growing> kept_;
};

// Values of which each question uses one alone.
template <class Value>
class ExclusiveCache {
 public:
  explicit ExclusiveCache(std::size_t most_bytes) : kept_(most_bytes) {}

  // Calls `use` with what is kept of the campaign, which nobody else uses then.
  template <class Use>
  auto With(const store::CampaignRow& campaign, Use&& use)
      -> std::invoke_result_t<Use, Value&> {
    const std::shared_ptr<Exclusive> kept = kept_.Of(campaign);
    const std::unique_lock lock(kept->mutex, kMostWait);
    if (!lock) return tl::unexpected<Error>(StillReading());
    auto used = use(kept->value);
    kept->size = kept->value.bytes();
    kept_.Trim();
    return used;
  }

 private:
  struct Exclusive {
    std::timed_mutex mutex;
    Value value;
    std::atomic<std::size_t> size = 0;
    std::size_t bytes() const { return size; }
  };
  PerCampaign<Exclusive> kept_;
};

}  // namespace coppice::inspector
