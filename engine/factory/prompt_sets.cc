#include "engine/factory/prompt_sets.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "config/load.h"

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

// The version of the templates that lie beside the folders of older ones.
constexpr std::string_view kPromptsOfToday = "v2";

}  // namespace

Result<const agents::PromptTemplates*> PromptSets::PromptsOf(
    const config::Settings& settings) {
  const std::string& name = settings.prompts;
  const auto known = prompts_.find(name);
  if (known != prompts_.end()) return &known->second;
  const fs::path ours = settings.data_directory / "prompts";
  const bool is_name = name.find('/') == name.npos && !name.starts_with('.');
  const bool is_version = is_name && !name.empty() && fs::exists(ours / name);
  fs::path directory = is_version ? ours / name : fs::path(name);
  std::string set = name;
  if (name == kPromptsOfToday) {
    directory = ours;
    const bool is_users = config::IsGiven(loaded_, "data_directory");
    set = is_users ? ours.string() : "coppice";
  } else if (!fs::is_directory(directory)) {
    return Fail(Errc::kUsage, "prompts: " + name +
                                  ": neither v1 nor v2, nor a folder of "
                                  "templates");
  }
  TRY(templates,
      agents::PromptTemplates::Load(directory, std::move(set), ours));
  return &prompts_.emplace(name, std::move(templates)).first->second;
}

}  // namespace coppice::engine
