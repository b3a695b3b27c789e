#include "engine/factory/model_factory.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "agents/provider/model.h"
#include "agents/provider/model_table.h"
#include "agents/provider/providers.h"
#include "agents/provider/retrying_model.h"
#include "agents/provider/throttle.h"
#include "agents/provider/transport.h"
#include "config/keys.h"
#include "config/settings.h"
#include "engine/factory/landscape_tasks.h"
#include "store/records/own_providers.h"
#include "store/records/task.h"

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

// What the setting PROVIDER_PART says; empty: nothing, or there is none.
std::string SettingOf(const config::Settings& settings,
                      const std::string& provider, const char* part) {
  const config::Key* key = config::FindKey(provider + part);
  if (key == nullptr) return "";
  const std::string value = config::Print(*key, settings);
  return value == "none" ? "" : value;
}

// What the settings say of a provider; of most the table says all.
agents::ProviderSettings ProviderSettingsOf(const config::Settings& settings,
                                            const std::string& provider) {
  return {.base_url = SettingOf(settings, provider, "_base_url"),
          .key = {SettingOf(settings, provider, "_api_key_env"),
                  SettingOf(settings, provider, "_key_command")},
          .structured = settings.answers == "auto"};
}

// Whom a provider's limits are on: all who ask the same server with the same
// key, by the same table.
std::string AccountOf(const config::Settings& settings,
                      const std::string& provider) {
  const agents::ProviderSettings chosen =
      ProviderSettingsOf(settings, provider);
  std::string account;
  for (const std::string& part :
       {provider, chosen.base_url, chosen.key.env, chosen.key.command,
        settings.models_file.value_or("")}) {
    account += part + '\n';
  }
  return account;
}

// All that makes one model another.
std::string SpecOf(const config::Settings& settings,
                   const config::ModelChoice& choice) {
  std::string spec = AccountOf(settings, choice.provider);
  for (const std::string& part :
       {choice.model, settings.answers, settings.record.value_or(""),
        std::to_string(settings.model_timeout_s),
        std::to_string(settings.model_retries.value_or(-1))}) {
    spec += part + '\n';
  }
  return spec;
}

// In the place of a model that is never asked.
class Outsider final : public agents::Model {
 public:
  std::string_view Provider() const override {
    return NameOf(Answerer::kOutside);
  }
  std::string_view ModelName() const override { return ""; }
  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& /*request*/) override {
    return Fail(Errc::kUsage,
                "its agents are outside: they ask by `coppice ticket ask`");
  }
};

Answerer AnswererOf(const config::ModelChoice& choice) {
  return OwnProviderOf(choice.provider).answerer;
}

// A landscape has a catalogue of its own.
bool IsSimulated(const Task& task, const config::ModelChoice& choice) {
  return task.root.language == Language::kSim &&
         AnswererOf(choice) == Answerer::kCatalogue;
}

}  // namespace

ModelFactory::ModelFactory(const config::Settings& settings,
                           agents::Timer& timer)
    : settings_(settings), timer_(timer) {}

ModelFactory::~ModelFactory() = default;

Result<bool> ModelFactory::HasSessions(const config::Settings& settings,
                                       const config::ModelChoice& choice) {
  const OwnProvider own = OwnProviderOf(choice.provider);
  if (own.answerer != Answerer::kListed) return own.has_sessions;
  TRY(table, TableOf(settings));
  const agents::ProviderRow* row = table->FindProvider(choice.provider);
  return row != nullptr && row->HasSessions();
}

// A cassette is asked by all that is said of a request.
Result<agents::Heeds> ModelFactory::WhatItHeeds(
    const config::Settings& settings, const config::ModelChoice& choice) {
  const OwnProvider own = OwnProviderOf(choice.provider);
  if (own.answerer != Answerer::kListed) {
    return agents::Heeds{own.heeds_temperature, own.heeds_effort};
  }
  TRY(table, TableOf(settings));
  return agents::WhatItHeeds(
      *table, choice.provider, choice.model,
      ProviderSettingsOf(settings, choice.provider).base_url);
}

Result<agents::Model*> ModelFactory::ModelFor(
    const Task& task, const config::Settings& settings,
    const config::ModelChoice& choice) {
  auto& model = models_[IsSimulated(task, choice) ? task.definition.name
                                                  : SpecOf(settings, choice)];
  if (model != nullptr) return model.get();
  TRY(transport, WireTo(task, settings, choice));
  TRY_ASSIGN(model, RetryingOver(std::move(transport), settings, choice));
  return model.get();
}

Result<std::unique_ptr<agents::Model>> ModelFactory::ChatModelFor(
    const config::ModelChoice& choice) {
  if (AnswererOf(choice) == Answerer::kCatalogue) {
    return Fail(Errc::kUsage, "the catalogue does not converse");
  }
  TRY(transport, WireOutside(settings_, choice));
  return RetryingOver(std::move(transport), settings_, choice);
}

Result<std::unique_ptr<agents::Model>> ModelFactory::RetryingOver(
    std::unique_ptr<agents::Transport> transport,
    const config::Settings& settings, const config::ModelChoice& choice) {
  TRY(throttle, ThrottleOf(settings, choice.provider));
  agents::RetryOptions options;
  options.timeout_s = settings.model_timeout_s;
  if (settings.model_retries) {
    options.max_retries = static_cast<int>(*settings.model_retries);
  }
  options.seed = settings.seed;
  TRY(has_sessions, HasSessions(settings, choice));
  if (has_sessions) {
    // It ends by its own limits, and begins again where it was.
    options.timeout_s = settings.session_s + settings.model_timeout_s;
    options.max_retries = 0;
  }
  std::unique_ptr<agents::Model> retrying_model = agents::MakeRetryingModel(
      std::move(transport), std::move(throttle), timer_, options);
  if (settings.record && !OwnProviderOf(choice.provider).IsRepeatable()) {
    return agents::MakeRecordingModel(std::move(retrying_model),
                                      *settings.record);
  }
  return retrying_model;
}

Result<std::unique_ptr<agents::Transport>> ModelFactory::WireTo(
    const Task& task, const config::Settings& settings,
    const config::ModelChoice& choice) {
  if (IsSimulated(task, choice)) {
    TRY(made, LandscapeTasks(settings_.data_directory).MakeModel(task));
    return agents::MakeModelTransport(std::move(made));
  }
  if (AnswererOf(choice) == Answerer::kCatalogue) {
    return agents::MakeModelTransport(agents::MakeCatalogueModel());
  }
  if (AnswererOf(choice) == Answerer::kOutside) {
    return agents::MakeModelTransport(std::make_unique<Outsider>());
  }
  return WireOutside(settings, choice);
}

Result<std::unique_ptr<agents::Transport>> ModelFactory::WireOutside(
    const config::Settings& settings, const config::ModelChoice& choice) {
  if (AnswererOf(choice) == Answerer::kCassette) {
    TRY(made, agents::MakeReplayModel(choice.model));
    return agents::MakeModelTransport(std::move(made));
  }
  TRY(table, TableOf(settings));
  return agents::MakeTransport(*table, choice.provider, choice.model,
                               ProviderSettingsOf(settings, choice.provider),
                               timer_);
}

Result<const agents::ModelTable*> ModelFactory::TableOf(
    const config::Settings& settings) {
  const std::string file = settings.models_file.value_or("");
  const auto known = tables_.find(file);
  if (known != tables_.end()) return known->second.get();
  std::optional<fs::path> users_file;
  if (!file.empty()) users_file = file;
  TRY(table, agents::ModelTable::Load(settings.data_directory, users_file));
  auto kept = std::make_unique<agents::ModelTable>(std::move(table));
  return tables_.emplace(file, std::move(kept)).first->second.get();
}

Result<std::shared_ptr<agents::Throttle>> ModelFactory::ThrottleOf(
    const config::Settings& settings, const std::string& provider) {
  auto& throttle = throttles_[AccountOf(settings, provider)];
  if (throttle != nullptr) return throttle;
  agents::Limits limits;  // Of what is in no table: none.
  if (OwnProviderOf(provider).answerer == Answerer::kListed) {
    TRY(table, TableOf(settings));
    TRY(row, agents::RowOf(*table, provider,
                           ProviderSettingsOf(settings, provider).base_url));
    limits = row.limits;
  }
  throttle = std::make_shared<agents::Throttle>(limits, timer_);
  return throttle;
}

}  // namespace coppice::engine
