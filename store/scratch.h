// For tests: short ways to grow a history in a database (store/scratch_file.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/behaviour.h"
#include "store/records/model_call.h"
#include "store/records/tried_configuration.h"
#include "store/scratch_file.h"
#include "store/write/attempts.h"
#include "store/write/calls.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::store {

// What an attempt shall come to.
struct Outcome {
  std::string source = "";  // Empty: "kernel N", N the node's number.
  Verdict verdict = Verdict::kPassed;
  std::optional<double> runtime_s = 1.0;
  std::string advice = "tile the loop";
  std::string policy = "stark";
  std::string technique = "tile";
  double check_s = 0.0;  // Of its evaluation.
  std::vector<TriedConfiguration> trials = {};
  std::vector<ModelPick> picks = {};
  Behaviour behaviour = {};
  std::vector<WindowCut> cut = {};  // Of its calls' windows.
  std::optional<NodeId> mate = {};
};

// Another uuid on each call.
Uuid NextUuid();

CampaignSpec SpecNamed(const std::string& name);
NodeRecord RootNode(const std::string& source = "root kernel");
Evaluation EvaluationOf(Verdict verdict, std::optional<double> runtime_s);
Reservation ReservationOf(std::int64_t decision, NodeId parent);
CallIntent IntentOf(Role role);
CallEnd AnswerOf(const std::string& text);

// A campaign with a root that takes 4 seconds.
CampaignId Plant(Database& database, const std::string& name);

// A campaign "beside" with a refuted node, one that crashed on it, and an
// attempt in flight: who asks of another is to see nothing of it.
CampaignId PlantBeside(Database& database);

// One whole attempt on `parent`, at Unix time 1000 + the node's number.
NodeId Grow(Database& database, CampaignId campaign, NodeId parent,
            const Outcome& outcome = {});

}  // namespace coppice::store
