// The columns of whole campaigns, kept for as long as the server runs: whole
// pictures come from them, and only what is new is read again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/campaigns.h"
#include "store/database.h"
#include "store/node_columns.h"
#include "store/records/result.h"

namespace coppice::inspector {

// Of a campaign; by its uuid, since a file may be replaced.
template <class Value>
class PerCampaign {
 public:
  // Calls `use` with what is kept of the campaign, which nobody else uses then.
  template <class Use>
  auto With(const store::CampaignRow& campaign, Use&& use) {
    std::shared_ptr<Entry> entry;
    {
      const std::lock_guard lock(mutex_);
      auto& kept = entries_[campaign.spec.uuid.bytes];
      if (!kept) kept = std::make_shared<Entry>();
      entry = kept;
    }
    const std::lock_guard lock(entry->mutex);
    return use(entry->value);
  }

 private:
  struct Entry {
    std::mutex mutex;
    Value value;
  };
  std::mutex mutex_;
  std::map<decltype(Uuid::bytes), std::shared_ptr<Entry>> entries_;
};

class TreeCache {
 public:
  // Calls `use` with the columns as they are now.
  template <class Use>
  auto With(store::Database& database, const store::CampaignRow& campaign,
            Use&& use) -> std::invoke_result_t<Use, const store::NodeColumns&> {
    return trees_.With(
        campaign,
        [&](store::NodeColumns& columns)
            -> std::invoke_result_t<Use, const store::NodeColumns&> {
          TRY_DONE(store::BringUpToDate(database, campaign.id, columns));
          return use(columns);
        });
  }

 private:
  PerCampaign<store::NodeColumns> trees_;
};

}  // namespace coppice::inspector
