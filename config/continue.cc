#include "config/continue.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <variant>

#include "config/keys.h"
#include "config/model_list.h"
#include "store/records/own_providers.h"

namespace coppice::config {
namespace {

constexpr ModelList Settings::*kModels[] = {
    &Settings::plan_model, &Settings::code_model, &Settings::debug_model};

bool IsNow(const Loaded& now, const Key& key, const Settings& settings) {
  return Print(key, settings) == Print(key, now.settings);
}

// Whether a setting matters to a campaign whose agents are these.
bool IsUsed(std::string_view name, const Settings& settings) {
  const auto uses = [&](const ModelChoice& model) {
    if (name == "models_file" || name == "record") {
      return !OwnProviderOf(model.provider).IsRepeatable();
    }
    return name.starts_with(model.provider + "_");
  };
  return std::ranges::any_of(kModels, [&](ModelList Settings::*member) {
    return std::ranges::any_of(settings.*member, uses);
  });
}

// A database may hold anything: the error is one line all the same.
std::string OneLine(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)); },
      '?');
  return text;
}

}  // namespace

bool MayBeTaken(const Loaded& now, const Override& stored) {
  const Key& key = *FindKey(stored.key);
  Settings then = now.settings;
  if (!Assign(key, stored.value, then)) return true;  // Continue says so.
  if (key.Has(kUsersOwn)) return IsNow(now, key, then);
  const auto* member = std::get_if<ModelList Settings::*>(&key.member);
  if (member == nullptr) return true;
  const auto is_named = [&](const ModelChoice& model) {
    return std::ranges::any_of(kModels, [&](ModelList Settings::*named) {
      const ModelList& models = now.settings.*named;
      return std::ranges::find(models, model) != models.end();
    });
  };
  return std::ranges::all_of(then.**member, [&](const ModelChoice& model) {
    return !RunsCommand({model}) || is_named(model);
  });
}

Result<void> CheckSaid(const Loaded& now, const std::vector<Override>& then) {
  TRY(settings, Continue(now, then));
  std::string stored;
  std::string options;
  for (const Override& row : then) {
    const Key* key = FindKey(row.key);
    if (key == nullptr || !key->Has(kKept) || IsGiven(now, row.key) ||
        MayBeTaken(now, row) ||
        (key->Has(kUsersOwn) && !IsUsed(row.key, settings))) {
      continue;
    }
    const char* separator = stored.empty() ? "" : ", ";
    stored += separator + row.key + " '" + OneLine(row.value) + "'";
    options += separator + ("--" + OptionName(row.key));
  }
  if (stored.empty()) return {};
  return Fail(Errc::kUsage, "was started with " + stored +
                                ", which a database may not decide: give " +
                                options + " again to go on");
}

std::vector<Override> ToSayAgain(const Loaded& now) {
  std::vector<Override> again;
  for (const Origin& row : now.origins) {
    const Key& key = *FindKey(row.key);
    if (!key.Has(kKept) || SaidBy(now, row.key) != "--" + OptionName(row.key)) {
      continue;
    }
    const auto* member = std::get_if<ModelList Settings::*>(&key.member);
    const bool is_command =
        member != nullptr && RunsCommand(now.settings.**member);
    if (is_command || key.Has(kUsersOwn)) {
      again.push_back({row.key, row.value});
    }
  }
  return again;
}

Result<Settings> Continue(const Loaded& now,
                          const std::vector<Override>& then) {
  Settings settings = now.settings;
  for (const auto& [name, value] : then) {
    const Key* key = FindKey(name);
    if (key == nullptr || !key->Has(kKept)) continue;
    if (!key->Has(kConstant) && IsGiven(now, name)) continue;
    if (!MayBeTaken(now, {name, value})) continue;
    if (auto done = Assign(*key, value, settings); !done) {
      return Fail(Errc::kCorrupt,
                  "stored setting " + name + ": " + done.error().what);
    }
  }
  return settings;
}

}  // namespace coppice::config
