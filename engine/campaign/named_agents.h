// The agents whose models people named while a campaign runs, each made when it
// is first asked for.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/campaign/agent.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::engine {

// May be used by several threads.
class NamedAgents {
 public:
  using Maker = std::function<Result<Agent>(Role, const std::string& model)>;

  // `maker` is called by one thread at a time.
  explicit NamedAgents(Maker maker) : maker_(std::move(maker)) {}

  // It stays valid.  kUsage: there is no such model, or the user has to mend
  // something first, as a key.
  Result<const Agent*> Get(Role role, const std::string& model);

  std::vector<Agent> All() const;

 private:
  const Maker maker_;
  mutable std::mutex mutex_;
  std::map<std::pair<Role, std::string>, Agent> agents_;
};

}  // namespace coppice::engine
