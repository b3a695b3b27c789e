// Opens sessions for agents that work with tools.  Campaigns ask for them by
// this interface, and engine/sessions, which stands above, has them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/result.h"
#include "store/records/uuid.h"

namespace coppice {
struct Task;
}
namespace coppice::agents {
class AgentSession;
}
namespace coppice::store {
class Database;
}

namespace coppice::engine {

class Clock;

// What one run of a session is about.  Nothing of it is owned, and all outlives
// the session.
struct SessionMatter {
  store::Database& database;
  std::mutex& mutex;  // Guards the database.
  const Clock& clock;
  const Task& task;
  CallId call{};
  Uuid run;      // Of the call,
  Uuid attempt;  // and of its attempt.
  Role role = Role::kCode;
  std::string campaign{};
  std::string parent{};  // The source of the node that was chosen,
  NodeId node{};         // and its number.
  std::string brief{};
  std::optional<double> usd_left{};  // Under the caps of the campaign.
  // Whether an answer can be used; may be called by any thread, one at a time.
  std::function<Result<void>(const std::string& answer)> accepts{};
};

// For the agents of one model.
class SessionOpener {
 public:
  virtual ~SessionOpener() = default;
  virtual Result<std::unique_ptr<agents::AgentSession>> Open(
      SessionMatter matter) const = 0;
};

}  // namespace coppice::engine
