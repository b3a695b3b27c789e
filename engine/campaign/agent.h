// Who a campaign asks in one of its roles.  Nothing here is owned.
#pragma once

#include <string>
#include <vector>

#include "store/records/model_call.h"

namespace coppice::agents {
class Model;
}

namespace coppice::engine {

class SessionOpener;

struct Agent {
  agents::Model* model = nullptr;
  Sampling sampling;
  // It takes its time, costs and errs: its calls are given up when somebody
  // asks to stop, and an answer that cannot be read is asked for once more. The
  // embedded ones would say the same again, at once.
  bool is_language_model = false;
  // If it works in sessions.  It mends by its tools what it would be asked for
  // once more.
  const SessionOpener* sessions = nullptr;
};

// The models of a role that has several.
struct Roster {
  Role role = Role::kPlan;
  std::string models;              // As the setting has them.
  std::vector<std::string> names;  // Of each,
  std::vector<Agent> agents;       // and who it is.
};

}  // namespace coppice::engine
