// Whom agents ask: a model for each that settings name, made when it is first
// asked for, and kept.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "store/records/result.h"

namespace coppice {
struct Task;
}
namespace coppice::agents {
struct Heeds;
class Model;
class ModelTable;
class Throttle;
class Timer;
class Transport;
}  // namespace coppice::agents
namespace coppice::config {
struct ModelChoice;
struct Settings;
}  // namespace coppice::config

namespace coppice::engine {

class ModelFactory {
 public:
  // Both outlive it.  `settings` are the user's, for all but campaigns.
  ModelFactory(const config::Settings& settings, agents::Timer& timer);
  ~ModelFactory();

  // `settings` are those of its campaign, here and below.  Valid as long as
  // this.
  Result<agents::Model*> ModelFor(const Task& task,
                                  const config::Settings& settings,
                                  const config::ModelChoice& choice);
  // Somebody to talk to, beside all campaigns.  kUsage of the catalogue.
  Result<std::unique_ptr<agents::Model>> ChatModelFor(
      const config::ModelChoice& choice);
  Result<agents::Heeds> WhatItHeeds(const config::Settings& settings,
                                    const config::ModelChoice& choice);
  // Whether its agents work in sessions.
  Result<bool> HasSessions(const config::Settings& settings,
                           const config::ModelChoice& choice);
  Result<const agents::ModelTable*> TableOf(const config::Settings& settings);

 private:
  // For a model that is neither simulated nor embedded.
  Result<std::unique_ptr<agents::Transport>> WireOutside(
      const config::Settings& settings, const config::ModelChoice& choice);
  // Recorded, if the settings say so.
  Result<std::unique_ptr<agents::Model>> RetryingOver(
      std::unique_ptr<agents::Transport> transport,
      const config::Settings& settings, const config::ModelChoice& choice);
  Result<std::unique_ptr<agents::Transport>> WireTo(
      const Task& task, const config::Settings& settings,
      const config::ModelChoice& choice);
  // Shared by all models of an account with a provider.
  Result<std::shared_ptr<agents::Throttle>> ThrottleOf(
      const config::Settings& settings, const std::string& provider);

  const config::Settings& settings_;
  agents::Timer& timer_;
  // By the user's file; each once a provider asks for it.
  std::map<std::string, std::unique_ptr<agents::ModelTable>> tables_;
  std::map<std::string, std::shared_ptr<agents::Throttle>> throttles_;
  std::map<std::string, std::unique_ptr<agents::Model>> models_;  // By spec.
};

}  // namespace coppice::engine
