#include "engine/campaign/named_agents.h"

namespace coppice::engine {

Result<const Agent*> NamedAgents::Get(Role role, const std::string& model) {
  const std::lock_guard lock(mutex_);
  const std::pair key(role, model);
  auto found = agents_.find(key);
  if (found == agents_.end()) {
    TRY(made, maker_(role, model));
    found = agents_.emplace(key, std::move(made)).first;
  }
  return &found->second;
}

std::vector<Agent> NamedAgents::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<Agent> all;
  for (const auto& [key, agent] : agents_) all.push_back(agent);
  return all;
}

}  // namespace coppice::engine
