// Renders a Situation to the prompt of its role from the templates in
// data/prompts (structure of STARK's figures 4 to 10, wording our own).
#pragma once

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

class PromptTemplates {
 public:
  // Reads every template of `directory`; an unknown placeholder in one is an
  // error that names file, line and placeholder.
  static Result<PromptTemplates> Load(const std::filesystem::path& directory);

  // Deterministic: equal situations give equal bytes.
  Prompt Render(const Situation& situation) const;

 private:
  std::map<std::string, std::string> texts_;  // By file stem.
};

}  // namespace coppice::agents
