// The templates of prompts that settings choose, each set read once.
#pragma once

#include <map>
#include <string>

#include "agents/prompt/prompt_templates.h"
#include "store/records/result.h"

namespace coppice::config {
struct Loaded;
struct Settings;
}  // namespace coppice::config

namespace coppice::engine {

class PromptSets {
 public:
  // `loaded` outlives it.
  explicit PromptSets(const config::Loaded& loaded) : loaded_(loaded) {}

  // Valid as long as this.  kUsage: neither a version nor a folder.
  Result<const agents::PromptTemplates*> PromptsOf(
      const config::Settings& settings);

 private:
  const config::Loaded& loaded_;
  std::map<std::string, agents::PromptTemplates> prompts_;  // By setting.
};

}  // namespace coppice::engine
