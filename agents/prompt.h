// Renders a Situation to the prompt of its role from the templates in
// data/prompts (structure of STARK's figures 4 to 10, wording our own).
//
// A template is a text with placeholders {{name}}; those that each one may use
// are listed in prompt.cc.  What stays the same within a campaign comes first
// (example, task, root), so that providers can cache it: then the latest
// attempt, the history, and the role's instruction, which demands the answer
// format of agents/grounded.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "agents/situation.h"
#include "store/records/result.h"

namespace coppice::agents {

struct Prompt {
  std::string system;
  std::string user;
};

struct PromptOptions {
  std::size_t latest_log_bytes = 6000;   // Longer logs are cut in the middle.
  std::size_t history_log_bytes = 1500;  // Of each earlier attempt.
  // If positive, sources of the history are left out, the last first, until an
  // estimate of the prompt (3 bytes a token) is no larger.  What remains says
  // that they are left out.  The rest of a prompt is never cut.
  std::int64_t max_tokens = 0;
};

class PromptTemplates {
 public:
  // Reads every template of `directory`.  A template that is missing or that
  // nobody reads, and an unknown placeholder in one, is an error that names
  // file, line and placeholder.
  static Result<PromptTemplates> Load(const std::filesystem::path& directory);

  // Deterministic: equal situations give equal bytes.  REQUIRES: the situation
  // has a task and, for the code role, a plan.
  Prompt Render(const Situation& situation,
                const PromptOptions& options = {}) const;

 private:
  std::map<std::string, std::string> texts_;  // By file stem.
};

}  // namespace coppice::agents
