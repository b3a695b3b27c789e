// Commands of the user's that are run when something happens to a campaign, for
// a mail or a phone: --on done, --on best, --on trouble, --on steered.
//
// A command is given to /bin/sh, and what happened to it in variables:
//
//   COPPICE_EVENT     done, best, trouble or steered
//   COPPICE_MESSAGE   a sentence with the most of what follows
//   COPPICE_REASON    of trouble; of steered: what was asked, or is broken
//   COPPICE_CAMPAIGN, COPPICE_TASK, COPPICE_DB
//   COPPICE_NODE, COPPICE_SPEEDUP         of the best so far, over the root
//   COPPICE_SPEEDUP_LOW, COPPICE_SPEEDUP_HIGH   its interval; empty: none
//   COPPICE_ATTEMPTS, COPPICE_BUDGET      done, and to be done
//   COPPICE_COST_USD                      as of the last done or best
//
// Commands run one after the other beside the campaign, which waits for none of
// them; one that takes longer than half a minute is ended.  None comes from a
// database, nor goes into one: whoever made that is not who runs it, and a
// command may hold a secret.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "config/settings.h"
#include "engine/campaign/progress.h"
#include "store/records/result.h"

namespace coppice::agents {
class Timer;
}

namespace coppice::engine {

// Hands on what it observes, and sees for itself what is worth a command.
class Notices final : public Observer {
 public:
  // Without effect where the settings name no command.  `say` is given a line
  // for what a command prints or fails of.  All is outlived.
  Notices(const config::Settings& settings, Observer& next,
          agents::Timer& timer, const std::atomic<bool>& stop,
          std::function<void(const std::string& line)> say);
  // Waits for the commands, half a minute at most; not once `stop` is true.
  ~Notices() override;
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

  // A campaign on `task` is about to run.  `cost_usd` is asked when somebody is
  // told, by the thread that tells.
  void Begin(const std::string& campaign, const std::string& task,
             std::int64_t budget, std::function<double()> cost_usd);
  // It has done what it was to do.
  void Done(const Progress& progress);
  // It cannot go on by itself.
  void Trouble(const std::string& why);

  void OnCommit(const Progress& progress, const NodeRecord& node) override;
  void OnConfirm(const Progress& progress, NodeId leader) override;
  void OnUnanswered(const Progress& progress, std::int64_t decision,
                    const Error& error) override;
  void OnAside(const std::string& line) override { next_.OnAside(line); }
  void OnSteered(const Progress& progress, const Directive& directive) override;
  void OnOutage(const Outage& outage) override;
  void OnTokens(const Progress& progress) override;

 private:
  // What is told of a campaign, as far as it is known.
  struct Facts {
    std::string campaign;
    std::string task;
    std::int64_t attempts = 0;
    std::int64_t budget = 0;
    NodeId best{};
    Speedup speedup{};
    double cost_usd = 0.0;
  };
  struct Notice {
    std::string event;
    std::string command;
    std::vector<std::string> variables;  // "NAME=value"
  };
  void Note(const Progress& progress);
  // REQUIRES: mutex_ is held.
  void Send(const std::string& event, const std::optional<std::string>& command,
            const std::string& reason, const std::string& message);
  void Work();
  void Run(const Notice& notice);

  const config::Settings& settings_;
  Observer& next_;
  agents::Timer& timer_;
  const std::atomic<bool>& stop_;
  const std::function<void(const std::string&)> say_;
  std::function<double()> cost_usd_;
  std::atomic<bool> give_up_{false};
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable wake_;
  Facts facts_;
  bool is_in_trouble_ = false;  // And it was told; no attempt is done since.
  std::deque<Notice> waiting_;
  bool is_running_ = false;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace coppice::engine
