// What the Inspector's page asks: routes over the databases of a server.
//
// A route is a file NAME_route.cc with a function, its declaration in routes.h
// and a row of the table in route_table.cc.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "engine/http/request.h"
#include "engine/inspector/campaign_cache.h"
#include "engine/inspector/files.h"
#include "engine/process/clock.h"
#include "store/records/result.h"

namespace coppice::agents {
class Model;
}
namespace coppice::engine {
struct FailureLines;
}
namespace coppice::store {
struct NodeColumns;
struct NodeDetails;
struct Summaries;
}  // namespace coppice::store

namespace coppice::inspector {

struct InspectorOptions {
  std::vector<std::filesystem::path> files{};
  bool is_read_only = false;  // Only questions are answered.
  std::string user{};         // Whose name steering bears.
  // Makes who answers questions in words; null: there is nobody.
  std::function<Result<std::unique_ptr<agents::Model>>()> assistant = {};
  std::optional<double> assistant_usd_day = {};  // Most that it may cost.
  std::filesystem::path models{};                // For browsers; empty: none.
};

class Inspector {
 public:
  // `clock` outlives it.
  Inspector(InspectorOptions terms, const engine::Clock& clock)
      : terms_(std::move(terms)), clock_(clock), files_(terms_.files) {}

  // May be called by any thread.
  http::Answer Answer(const http::Request& request);

  // Questions at work are given up, and none begins.
  void End() { is_over_ = true; }

  const InspectorOptions& terms() const { return terms_; }
  const engine::Clock& clock() const { return clock_; }
  Files& files() { return files_; }
  GrowingCache<store::NodeColumns>& trees() { return trees_; }
  GrowingCache<store::Summaries>& summaries() { return summaries_; }
  ExclusiveCache<engine::FailureLines>& failures() { return failures_; }

  // Calls `use` with all that is kept of the nodes of a campaign.
  template <class Use>
  auto WithNodes(store::Database& database, const store::CampaignRow& campaign,
                 Use&& use) {
    return trees_.With(
        database, campaign, [&](const store::NodeColumns& columns) {
          return details_.With(database, campaign,
                               [&](const store::NodeDetails& details) {
                                 return use(columns, details);
                               });
        });
  }

  // A stranger's question may take a minute, so of these there are fewer at a
  // time than handlers.
  std::counting_semaphore<2>& questions() { return questions_; }

  // Whether so many seconds are over, or the server ends.
  std::function<bool()> Deadline(double seconds) const;

 private:
  const InspectorOptions terms_;
  const engine::Clock& clock_;
  std::atomic<bool> is_over_ = false;
  Files files_;
  static constexpr std::size_t kMostBytes = 256'000'000;  // Of each kind.
  GrowingCache<store::NodeColumns> trees_{kMostBytes};
  GrowingCache<store::NodeDetails> details_{kMostBytes};
  GrowingCache<store::Summaries> summaries_{kMostBytes};
  ExclusiveCache<engine::FailureLines> failures_{kMostBytes};
  std::counting_semaphore<2> questions_{2};
};

}  // namespace coppice::inspector
