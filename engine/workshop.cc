#include "engine/workshop.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "agents/providers.h"
#include "engine/simulation.h"
#include "eval/trace_set.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kSimPrefix = "sim:";

std::pair<std::string, std::string> SplitAtColon(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<std::unique_ptr<agents::Model>> MakeOpenAi(
    const config::Settings& settings, const std::string& model) {
  if (model.empty()) {
    return Fail(Errc::kUsage,
                "openai: name the model, as in openai:MODEL_NAME");
  }
  agents::OpenAiOptions options;
  options.base_url = settings.openai_base_url;
  options.model = model;
  // Only the name of the variable is a setting; the key is read here and goes
  // nowhere else.
  if (const char* key = std::getenv(settings.openai_api_key_env.c_str())) {
    options.api_key = key;
  }
  return agents::MakeOpenAiModel(std::move(options));
}

}  // namespace

Result<std::unique_ptr<Workshop>> Workshop::Make(
    const config::Settings& settings, const Clock& clock,
    const std::atomic<bool>& drain) {
  TRY(installation, FindInstallation(ExecutablePath()));
  if (!settings.data_directory.empty()) {
    installation.data = settings.data_directory;
  }
  TRY(prompts, agents::PromptTemplates::Load(installation.data / "prompts"));
  return std::unique_ptr<Workshop>(new Workshop(
      settings, clock, drain, std::move(installation), std::move(prompts)));
}

Workshop::Workshop(const config::Settings& settings, const Clock& clock,
                   const std::atomic<bool>& drain, Installation installation,
                   agents::PromptTemplates prompts)
    : settings_(settings),
      clock_(clock),
      drain_(drain),
      installation_(std::move(installation)),
      prompts_(std::move(prompts)) {}

Result<Task> Workshop::FindTask(const std::string& name) const {
  if (name.starts_with(kSimPrefix)) {
    return SimulatedTask(name.substr(kSimPrefix.size()));
  }
  const auto [directory, definition] = SplitAtColon(name);
  if (!definition.empty()) return eval::LoadTask(directory, definition);
  return eval::LoadTask(installation_.data / "cpu", name);
}

Result<std::vector<std::string>> Workshop::TasksOfLevel(int level) const {
  const std::filesystem::path root = installation_.data / "cpu";
  TRY(names, eval::ListDefinitions(root));
  std::vector<std::string> chosen;
  for (std::string& name : names) {
    TRY(task, eval::LoadTask(root, name));
    if (TagValue(task.definition, "level") == std::to_string(level)) {
      chosen.push_back(std::move(name));
    }
  }
  return chosen;
}

Result<Parts> Workshop::Equip(const Task& task, const std::string& policy,
                              store::Database& database) {
  auto& chosen = policies_[policy];
  if (chosen == nullptr) {
    TRY(made, search::MakePolicy(policy));
    chosen = std::move(made);
  }
  TRY(plan, ModelFor(task, settings_.plan_model));
  TRY(code, ModelFor(task, settings_.code_model));
  TRY(debug, ModelFor(task, settings_.debug_model));
  TRY(evaluator, EvaluatorFor(task));
  const auto sampling = [this](double temperature) {
    Sampling result;
    result.temperature = temperature;
    result.max_output_tokens = settings_.max_output_tokens;
    return result;
  };
  return Parts{database,
               task,
               *chosen,
               {plan, sampling(settings_.plan_temperature)},
               {code, sampling(settings_.code_temperature)},
               {debug, sampling(settings_.debug_temperature)},
               prompts_,
               *evaluator,
               clock_,
               {settings_.window_history, settings_.window_leaders},
               evaluator->Hardware(),
               settings_.threads};
}

Result<agents::Model*> Workshop::ModelFor(const Task& task,
                                          const std::string& spec) {
  const bool simulated = task.root.language == Language::kSim;
  const std::string key = simulated ? task.definition.name : spec;
  auto& model = models_[key];
  if (model != nullptr) return model.get();
  const auto [provider, detail] = SplitAtColon(spec);
  if (simulated) {
    TRY(made, MakeSimulatedModel(task));
    model = std::move(made);
  } else if (provider == "catalogue") {
    model = agents::MakeCatalogueModel();
  } else if (provider == "replay") {
    TRY(made, agents::MakeReplayModel(detail));
    model = std::move(made);
  } else if (provider == "openai") {
    TRY(made, MakeOpenAi(settings_, detail));
    model = std::move(made);
  } else {
    return Fail(Errc::kUsage, spec +
                                  ": no such provider; there are catalogue, "
                                  "openai:MODEL and replay:FILE");
  }
  return model.get();
}

Result<eval::Evaluator*> Workshop::EvaluatorFor(const Task& task) {
  const bool simulated = task.root.language == Language::kSim;
  auto& evaluator = evaluators_[simulated ? task.definition.name : "cpu"];
  if (evaluator != nullptr) return evaluator.get();
  if (simulated) {
    TRY(made, MakeSimulatedEvaluator(task));
    evaluator = std::move(made);
  } else if (task.root.language == Language::kCpp) {
    eval::CpuEvaluatorOptions options;
    options.cache_directory = CacheDirectory();
    options.runner = installation_.runner;
    options.threads = settings_.threads;
    options.compile_timeout_s = settings_.compile_timeout_s;
    options.call_timeout_s = settings_.call_timeout_s;
    TRY(made, eval::MakeCpuEvaluator(std::move(options)));
    evaluator = std::move(made);
  } else {
    return Fail(Errc::kUnavailable,
                task.definition.name +
                    ": only C++ tasks for the CPU can be evaluated");
  }
  return evaluator.get();
}

}  // namespace coppice::engine
