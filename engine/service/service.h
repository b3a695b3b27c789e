// What the operations of one process share.  Nothing is opened, started or
// asked of a GPU before an operation needs it, so a service is made in no time.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "config/load.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "store/records/result.h"

namespace coppice::service {

struct ServiceOptions {
  config::Loaded config;         // The user's settings in force.
  std::filesystem::path runner;  // engine/process/installation.h
  // The history that is asked and written to; none: only kernels are judged.
  std::optional<std::filesystem::path> database{};
  // The file of kept verdicts; none: one beside what is compiled.
  std::optional<std::filesystem::path> verdicts{};
  // Who makes sessions for the agents of campaigns; null: they have none.
  engine::MakeSessionOpeners make_sessions = nullptr;
};

class Service {
 public:
  // `clock` outlives it.
  Service(ServiceOptions options, const engine::Clock& clock);
  // What runs is cancelled, and waited for.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const config::Loaded& config() const { return options_.config; }
  const config::Settings& settings() const { return options_.config.settings; }
  const std::filesystem::path& runner() const { return options_.runner; }
  const engine::Clock& clock() const { return clock_; }
  engine::MakeSessionOpeners make_sessions() const {
    return options_.make_sessions;
  }

  std::filesystem::path verdicts() const;

  // kUsage, with what to do, if it was given none.
  Result<std::filesystem::path> database() const;

  // Whoever waits by that is told to give up once End() was called.
  std::stop_token ending() const { return ending_.get_token(); }
  void End() { ending_.request_stop(); }

  // What one kind of operations keeps for the life of the service: the first
  // who asks makes it, by a function that returns Result<std::unique_ptr<T>>
  // and asks for no other part of the same kind.  If that fails, the next one
  // tries again.  Parts go in the opposite order.  By any thread.
  template <class T, class Make>
  Result<T*> Part(Make make) {
    const std::lock_guard lock(mutex_);
    auto& known = by_type_[std::type_index(typeid(T))];
    if (known == nullptr) {
      TRY(made, make());
      std::shared_ptr<T> part = std::move(made);
      known = part.get();
      parts_.push_back(std::move(part));
    }
    return static_cast<T*>(known);
  }

 private:
  const ServiceOptions options_;
  const engine::Clock& clock_;
  std::stop_source ending_;
  std::recursive_mutex mutex_;                // Parts may need others.
  std::vector<std::shared_ptr<void>> parts_;  // As they were made.
  std::map<std::type_index, void*> by_type_;
};

}  // namespace coppice::service
