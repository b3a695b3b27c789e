// Turns the text that an agent answered into what its role owes the engine.
#pragma once

#include <string_view>
#include <variant>

#include "agents/situation.h"
#include "store/records/candidate.h"
#include "store/records/plan.h"
#include "store/records/result.h"

namespace coppice::agents {

// What the code and debug agents owe.
struct CodedCandidate {
  Candidate candidate;      // Language and entry are those of the task's root.
  EditFootprint footprint;  // Against the plan's source; zero without a plan.
};

using Product = std::variant<Plan, CodedCandidate>;

// A Plan if situation.role is kPlan, else a CodedCandidate.  Error kCorrupt, in
// words fit for a repair request (PromptTemplates::RenderRepair), if the answer
// is not of the form that the role's prompt demands.
// REQUIRES: situation.task is set.
Result<Product> ReadAnswer(const Situation& situation, std::string_view answer);

}  // namespace coppice::agents
