// For tests: an agent that tells what a built-in one answered.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "agents/prompt/grounded_instructions.h"
#include "agents/provider/model.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/told.h"
#include "engine/run/simulated_rig.h"
#include "store/scratch.h"

namespace coppice::engine {

// Answers by decision and role.
using Answers = std::map<std::pair<std::int64_t, Role>, std::string>;

// Passes questions on, and keeps what is answered.
class Listener final : public agents::Model {
 public:
  explicit Listener(agents::Model& inner) : inner_(inner) {}
  std::string_view Provider() const override { return inner_.Provider(); }
  std::string_view ModelName() const override { return inner_.ModelName(); }
  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    auto answer = inner_.Complete(request);
    if (answer) answers[{request.sample_index, request.role}] = answer->text;
    return answer;
  }
  Answers answers;

 private:
  agents::Model& inner_;
};

// Runs the rig's campaign with its own agents.
inline Answers RunBuiltIn(SimulatedRig& rig) {
  const auto database = rig.Connect();
  Listener listener(rig.model());
  const CampaignParts parts = rig.PartsFor(*database, &listener);
  Silent silent;
  store::Must(Campaign(parts, rig.Row(), rig.OptionsFor(1)).Run(silent));
  return listener.answers;
}

inline void MeasureRoot(SimulatedRig& rig) {
  const auto database = rig.Connect();
  const CampaignParts parts = rig.PartsFor(*database);
  Campaign::Options options = rig.OptionsFor(1);
  options.extent = Extent::kRoot;
  Silent silent;
  store::Must(Campaign(parts, rig.Row(), options).Run(silent));
}

// What a built-in agent's answer is as told.
inline Told ToldOf(Role role, const std::string& answer,
                   const std::string& parent_source) {
  Told told;
  if (role == Role::kPlan) {
    const auto plan = agents::ParsePlanAnswer(answer, parent_source);
    if (plan) {
      told.plan = answer;
    } else {
      told.none_reason = "plan agent: " + plan.error().what;
    }
    return told;
  }
  const auto source = agents::ParseCodeAnswer(answer);
  if (source) {
    told.source = *source;
  } else {
    told.none_reason =
        std::string(Name(role)) + " agent: " + source.error().what;
  }
  return told;
}

// A process that serves agents, as far as the file can tell.
class ServingProcess {
 public:
  // `judge` takes the place of the rig's.
  explicit ServingProcess(SimulatedRig& rig, store::Caps caps = {},
                          std::int64_t most = 64,
                          eval::Evaluator* judge = nullptr, Flag* cut = nullptr,
                          config::Agents agents = {})
      : database_(rig.Connect()), parts_(rig.PartsFor(*database_)) {
    parts_.caps = caps;
    parts_.agents = agents;
    if (judge != nullptr) parts_.stations = {{judge, ""}};
    ticket_issuer_ = store::Must(TicketIssuer::Open(parts_, rig.Row(),
                                                    {.database = rig.path(),
                                                     .confirm = false,
                                                     .cut = cut,
                                                     .most_in_flight = most}));
  }
  TicketIssuer& operator*() { return *ticket_issuer_; }
  TicketIssuer* operator->() { return ticket_issuer_.get(); }

 private:
  std::unique_ptr<store::Database> database_;
  CampaignParts parts_;
  std::unique_ptr<TicketIssuer> ticket_issuer_;
};

}  // namespace coppice::engine
