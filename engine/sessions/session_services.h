// What sessions share whose agents are of one model: tools that judge, limits,
// and where their folders are.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/provider/model_table.h"
#include "agents/provider/prices.h"
#include "config/load.h"
#include "engine/process/clock.h"
#include "engine/service/operation.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::sessions {

// Limits of one session, its runs together.
struct SessionLimits {
  double usd = 1.0;
  std::int64_t calls = 50;
  double seconds = 1800;
};

struct SessionServices {
  std::filesystem::path folder{};   // Has those of all sessions.
  std::filesystem::path program{};  // Ours, for the bridge.
  std::filesystem::path database{};
  SessionLimits limits{};
  agents::ExecAnswer form = agents::ExecAnswer::kText;
  std::optional<agents::Prices> prices{};
  // Has one answer of an operation of the service, whole: a job is waited for.
  std::function<Result<std::string>(const Task& task, std::string_view tool,
                                    const std::string& arguments,
                                    const service::Call& call)>
      ask{};
};

// Judges for sessions by the operations of a service.
class SessionJudge {
 public:
  // What it is given outlives it.
  SessionJudge(const config::Loaded& loaded, std::filesystem::path runner,
               const engine::Clock& clock);
  ~SessionJudge();
  SessionJudge(const SessionJudge&) = delete;
  SessionJudge& operator=(const SessionJudge&) = delete;

  // `arguments` is a JSON object without `task`.
  Result<std::string> Ask(const Task& task, std::string_view tool,
                          const std::string& arguments,
                          const service::Call& call);

 private:
  const std::unique_ptr<service::Service> service_;
};

}  // namespace coppice::sessions
