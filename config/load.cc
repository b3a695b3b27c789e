#include "config/load.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <variant>

#include "config/file.h"
#include "config/keys.h"
#include "config/model_list.h"
#include "config/presets.h"
#include "config/runs_program.h"
#include "store/records/nearest_name.h"
#include "store/records/own_providers.h"

namespace coppice::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPreset = "preset";
constexpr const char* kCommandLine = "command line";

std::string PresetOrigin(const std::string& preset) {
  return "preset " + preset;
}

// Whether it is a variable that a command of --on is told, which may be one of
// ours.
bool IsFact(std::string_view name) {
  constexpr std::string_view kFacts[] = {
      "COPPICE_EVENT",    "COPPICE_MESSAGE",     "COPPICE_REASON",
      "COPPICE_CAMPAIGN", "COPPICE_TASK",        "COPPICE_NODE",
      "COPPICE_SPEEDUP",  "COPPICE_SPEEDUP_LOW", "COPPICE_SPEEDUP_HIGH",
      "COPPICE_ATTEMPTS", "COPPICE_COST_USD"};
  return std::ranges::find(kFacts, name) != std::end(kFacts);
}

std::string ValueOf(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

// A directory of the XDG base directory specification: relative values are
// ignored, an empty one is as good as none.
std::optional<fs::path> XdgDirectory(const Environment& environment,
                                     const std::string& variable,
                                     const char* below_home) {
  const fs::path set = ValueOf(environment, variable);
  if (set.is_absolute()) return set / "coppice";
  const fs::path home = ValueOf(environment, "HOME");
  if (!home.is_absolute()) return std::nullopt;
  return home / below_home / "coppice";
}

// For who has no home.  The evaluators refuse to work where the folder above it
// belongs to somebody else (eval/host/machine.cc).
fs::path DirectoryOf(unsigned user) {
  return fs::temp_directory_path() / ("coppice-" + std::to_string(user)) /
         "cache";
}

tl::unexpected<Error> Unknown(const std::string& where, std::string_view what,
                              const std::string& name,
                              const std::vector<std::string>& known) {
  std::string text = where + "unknown " + std::string(what) + " '" + name + "'";
  if (const auto nearest = NearestName(name, known)) {
    text += "; did you mean '" + *nearest + "'?";
  }
  return Fail(Errc::kUsage, text);
}

std::vector<std::string> Names(std::string (*spell)(std::string_view)) {
  std::vector<std::string> names;
  for (const Key& key : Keys()) names.push_back(spell(key.name));
  return names;
}

// The files that a value names, as it is read where it is used.
std::vector<fs::path> FilesOf(const Key& key, const std::string& value) {
  std::vector<fs::path> files;
  if (std::holds_alternative<ModelList Settings::*>(key.member)) {
    for (const ModelChoice& each :
         ParseModelList(value).value_or(ModelList{})) {
      const Answerer answerer = OwnProviderOf(each.provider).answerer;
      if (answerer == Answerer::kCassette) files.emplace_back(each.model);
    }
  } else if (key.group == Group::kMemory) {
    std::istringstream words(value);
    for (std::string word; std::getline(words, word, ',');) {
      files.emplace_back(word);
    }
  } else if (key.name == "db" || key.name == "prompts" ||
             key.name == "eval_config") {
    files.emplace_back(value);
  }
  return files;
}

// Links are followed; one to what is not there yet leads anywhere.
bool IsBelowHere(const fs::path& path) {
  std::error_code error;
  if (!path.is_relative()) return false;
  if (fs::is_symlink(path, error) && !fs::exists(path, error)) return false;
  const fs::path here = fs::canonical(".", error);
  if (error) return false;
  const fs::path whole = fs::weakly_canonical(here / path, error);
  return !error && *whole.lexically_relative(here).begin() != "..";
}

// What of such a value a folder's file may not say; empty: it may.  A folder
// may have come from anywhere, and be anybody's.
std::string RefusedOfFolder(const Key& key, const std::string& value) {
  std::string name(key.name);
  if (key.Has(kUsersOwn | kOfUserAlone) || RunsProgram(key.name, value)) {
    return name;
  }
  for (const fs::path& file : FilesOf(key, value)) {
    if (!IsBelowHere(file)) return name + " outside the folder";
  }
  return "";
}

class Loader {
 public:
  explicit Loader(const Surroundings& surroundings)
      : surroundings_(surroundings) {
    Settings& settings = loaded_.settings;
    const Environment& environment = surroundings.environment;
    settings.data_directory = surroundings.data_directory;
    settings.cache_directory =
        XdgDirectory(environment, "XDG_CACHE_HOME", ".cache")
            .value_or(DirectoryOf(surroundings.user));
    settings.library =
        XdgDirectory(environment, "XDG_DATA_HOME", ".local/share")
            .value_or("") /
        "memory.db";
    settings.threads = surroundings.cores;
    for (const Key& key : Keys()) {
      loaded_.origins.push_back({std::string(key.name), "", "default"});
    }
  }

  Result<void> Files(const std::optional<fs::path>& config_file) {
    if (config_file) return File(*config_file);
    const Environment& environment = surroundings_.environment;
    if (const std::string named = ValueOf(environment, "COPPICE_CONFIG");
        !named.empty()) {
      return File(named);
    }
    const auto of_user =
        XdgDirectory(environment, "XDG_CONFIG_HOME", ".config");
    if (of_user) TRY_DONE(FileIfAny(*of_user / "coppice.conf"));
    return FileOfFolder("coppice.conf");
  }

  Result<void> FromEnvironment() {
    const std::string preset_name = EnvironmentName(kPreset);
    if (const std::string preset =
            ValueOf(surroundings_.environment, preset_name);
        !preset.empty()) {
      TRY_DONE(Variable(preset_name, preset));
    }
    for (const auto& [name, value] : surroundings_.environment) {
      if (name == preset_name) continue;
      if (!name.starts_with("COPPICE_") || name == "COPPICE_CONFIG" ||
          name.starts_with("COPPICE_TEST_") || IsFact(name) || value.empty()) {
        continue;
      }
      TRY_DONE(Variable(name, value));
    }
    return {};
  }

  Result<void> CommandLine(std::vector<Override> overrides) {
    PresetFirst(overrides);
    for (const auto& [name, value] : overrides) {
      const Key* key = FindKey(name);
      if (key == nullptr) {
        return Unknown("", "setting", name, Names(&OptionName));
      }
      TRY_DONE(Set(*key, value, kCommandLine, "--" + OptionName(name) + ": "));
    }
    return {};
  }

  Loaded Finish() && {
    for (std::size_t i = 0; i < Keys().size(); ++i) {
      loaded_.origins[i].value = Print(Keys()[i], loaded_.settings);
    }
    return std::move(loaded_);
  }

 private:
  Result<void> FileIfAny(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored) ? File(path) : Result<void>();
  }

  Result<void> FileOfFolder(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return {};
    if (!surroundings_.trusts_folder) {
      return Fail(Errc::kUsage,
                  path.string() +
                      ": is no plain file that only you may write; if you "
                      "trust it, name it: --config " +
                      path.string());
    }
    return File(path, /*is_of_folder=*/true);
  }

  Result<void> File(const fs::path& path, bool is_of_folder = false) {
    TRY(lines, ReadFile(path));
    PresetFirst(lines);
    for (const Line& line : lines) {
      const std::string place =
          path.string() + ":" + std::to_string(line.number);
      const Key* key = FindKey(line.key);
      if (key == nullptr) {
        return Unknown(place + ": ", "key", line.key, Names(&AsItIs));
      }
      const std::string refused =
          is_of_folder ? RefusedOfFolder(*key, line.value) : "";
      if (!refused.empty()) {
        return Fail(Errc::kUsage,
                    place + ": " + refused +
                        ": is not for the file of a folder, which may be "
                        "anybody's: say it in ~/.config/coppice/coppice.conf, "
                        "or name this file: --config " +
                        path.string());
      }
      TRY_DONE(Set(*key, line.value, place, place + ": " + line.key + ": "));
    }
    return {};
  }

  Result<void> Variable(const std::string& name, const std::string& value) {
    for (const Key& key : Keys()) {
      if (EnvironmentName(key.name) == name) {
        return Set(key, value, "environment " + name, name + ": ");
      }
    }
    return Unknown("", "environment variable", name, Names(&EnvironmentName));
  }

  Result<void> Set(const Key& key, const std::string& value,
                   const std::string& origin, const std::string& complain_as) {
    if (auto done = Assign(key, value, loaded_.settings); !done) {
      return Fail(done.error().code, complain_as + done.error().what);
    }
    const std::int64_t threads = loaded_.settings.threads;
    if (key.name == "threads" && threads > surroundings_.cores) {
      return Fail(Errc::kUsage, complain_as + "this machine has " +
                                    std::to_string(surroundings_.cores));
    }
    OriginOf(key) = origin;
    if (key.name != kPreset) return {};
    TRY(preset, FindPreset(value));
    for (const auto& [name, text] : preset->values) {
      const Key* set = FindKey(name);
      TRY_DONE(Assign(*set, text, loaded_.settings));
      OriginOf(*set) = PresetOrigin(value);
    }
    return {};
  }

  // What is said beside it at the same place counts more.
  template <class RunnerProgram>
  static void PresetFirst(std::vector<RunnerProgram>& assignments) {
    std::stable_partition(
        assignments.begin(), assignments.end(),
        [](const RunnerProgram& each) { return each.key == kPreset; });
  }

  std::string& OriginOf(const Key& key) {
    return loaded_.origins[static_cast<std::size_t>(&key - Keys().data())]
        .origin;
  }

  static std::string AsItIs(std::string_view name) { return std::string(name); }

  const Surroundings& surroundings_;
  Loaded loaded_;
};

}  // namespace

Result<Loaded> Load(const Surroundings& surroundings,
                    const std::optional<fs::path>& config_file,
                    const std::vector<Override>& command_line) {
  Loader loader(surroundings);
  TRY_DONE(loader.Files(config_file));
  TRY_DONE(loader.FromEnvironment());
  TRY_DONE(loader.CommandLine(command_line));
  return std::move(loader).Finish();
}

bool IsGiven(const Loaded& loaded, std::string_view key) {
  return std::ranges::any_of(loaded.origins, [&](const Origin& row) {
    return row.key == key && row.origin != "default";
  });
}

std::optional<std::string> SaidBy(const Loaded& loaded, std::string_view key) {
  const auto row_of = [&](std::string_view name) {
    return std::ranges::find(loaded.origins, name, &Origin::key);
  };
  const std::string& origin = row_of(key)->origin;
  if (origin == kCommandLine) return "--" + OptionName(key);
  const Origin& preset = *row_of(kPreset);
  if (preset.origin == kCommandLine && origin == PresetOrigin(preset.value)) {
    return "--" + OptionName(kPreset);
  }
  return std::nullopt;
}

}  // namespace coppice::config
