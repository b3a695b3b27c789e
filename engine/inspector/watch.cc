#include "engine/inspector/watch.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/campaign/campaign_state.h"
#include "engine/documents/document.h"
#include "engine/inspector/rows.h"
#include "store/read/change_counter.h"

namespace coppice::inspector {
namespace {

constexpr std::chrono::milliseconds kPause{50};
// Who begins or ends work on a campaign need not commit anything.
constexpr int kLooksBetweenStates = 20;

}  // namespace

// One file as it was when it was last looked at.
class Watch::WatchedFile {
 public:
  WatchedFile(Files& files, std::size_t file) : files_(files), file_(file) {}

  // Whether it is another than before.
  bool Look(bool reads_states) {
    const bool has_changed = HasChanged();
    if (has_changed) ReadChangeCounters();
    if (!has_changed && !reads_states) return false;
    Json now = ToJson();
    return now != std::exchange(json_, now);
  }

  const Json& json() const { return json_; }

 private:
  const std::filesystem::path& path() const { return files_.paths()[file_]; }

  // SQLite's count tells; of a file that is read as it lies its time does.
  bool HasChanged() {
    std::error_code gone;
    const auto written = std::filesystem::last_write_time(path(), gone);
    if (gone) {
      loan_.reset();
      return !std::exchange(change_counters_, {}).empty();
    }
    if (!loan_) {
      auto loan = files_.Borrow(file_, {});
      if (!loan) return false;  // It may come back.
      loan_.emplace(*std::move(loan));
      version_.reset();
    }
    const auto version = store::DataVersion(**loan_);
    if (!version || !loan_->IsOfTheFile()) {
      loan_.reset();
      version_.reset();
      return false;
    }
    const auto now =
        std::pair(*version, loan_->SeesLater() ? decltype(written)() : written);
    if (version_ == now) return false;
    const bool is_stale = !loan_->SeesLater() && version_;
    version_ = now;
    if (is_stale) loan_.reset();
    return true;
  }

  void ReadChangeCounters() {
    if (!loan_) {
      auto loan = files_.Borrow(file_, {});
      if (!loan) return;
      loan_.emplace(*std::move(loan));
    }
    auto change_counters = store::ReadChangeCounters(**loan_, change_counters_);
    if (change_counters) change_counters_ = *std::move(change_counters);
  }

  Json ToJson() const {
    Json campaigns = Json::array();
    for (const store::ChangeCounter& change_counter : change_counters_) {
      const auto state =
          engine::StateOf(change_counter.campaign, change_counter.state,
                          change_counter.nodes, path());
      campaigns.push_back({{"c", change_counter.name},
                           {"nodes", change_counter.nodes},
                           {"attempts", change_counter.attempts},
                           {"further", change_counter.further},
                           {"last_event", change_counter.last_event},
                           {"in_flight", change_counter.in_flight},
                           {"spent_usd", change_counter.spent_usd},
                           {"state", state ? *state : "interrupted"},
                           {"directives", change_counter.directives},
                           {"last_directive", change_counter.last_directive}});
    }
    return {{"db", file_}, {"campaigns", std::move(campaigns)}};
  }

  Files& files_;
  const std::size_t file_;
  std::optional<Files::Loan> loan_;
  std::optional<std::pair<std::int64_t, std::filesystem::file_time_type>>
      version_;
  std::vector<store::ChangeCounter> change_counters_;
  Json json_;
};

class Watch::Impl {
 public:
  Impl(Inspector& inspector, std::function<void(const std::string&)> tell)
      : tell_(std::move(tell)) {
    for (std::size_t i = 0; i < inspector.files().paths().size(); ++i) {
      watched_.emplace_back(inspector.files(), i);
    }
    thread_ = std::thread([this] { Run(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_one();
    thread_.join();
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    for (int look = 0; !is_over_; ++look) {
      lock.unlock();
      Look(look % kLooksBetweenStates == 0);
      lock.lock();
      over_.wait_for(lock, kPause, [this] { return is_over_; });
    }
  }

  void Look(bool reads_states) {
    bool has_changed = false;
    for (WatchedFile& watched : watched_) {
      has_changed |= watched.Look(reads_states);
    }
    if (!has_changed) return;
    tell_(cli::LineOf({{"databases", ArrayOf(watched_, &WatchedFile::json)}}));
  }

  const std::function<void(const std::string&)> tell_;
  std::vector<WatchedFile> watched_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

Watch::Watch(Inspector& inspector, std::function<void(const std::string&)> tell)
    : impl_(std::make_unique<Impl>(inspector, std::move(tell))) {}
Watch::~Watch() = default;

}  // namespace coppice::inspector
