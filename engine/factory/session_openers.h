// Who opens sessions for agents: engine/sessions does, on which this room does
// not stand.
#pragma once

namespace coppice::agents {
class ModelTable;
}
namespace coppice::config {
struct ModelChoice;
struct Settings;
}  // namespace coppice::config

namespace coppice::engine {

class SessionOpener;

class SessionOpeners {
 public:
  virtual ~SessionOpeners() = default;
  // An opener for the agents of a model whose provider has sessions.  It is
  // valid as long as this.
  virtual const SessionOpener* OpenerFor(const config::Settings& settings,
                                         const config::ModelChoice& choice,
                                         const agents::ModelTable& table) = 0;
};

}  // namespace coppice::engine
