#include "engine/cli/completion.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "agents/provider/model_table.h"
#include "config/keys.h"
#include "config/presets.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/cli/completion_scripts.h"
#include "engine/cli/verbs.h"
#include "engine/documents/open_history.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/factory/task_finder.h"
#include "engine/process/clock.h"
#include "eval/formats/trace_set.h"
#include "search/policy.h"
#include "store/database.h"
#include "store/records/own_providers.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {
namespace fs = std::filesystem;

using Completions = std::vector<Completion>;
using Words = std::vector<std::string>;

// Those that begin as what is typed does.
class Offer {
 public:
  explicit Offer(std::string typed) : typed_(std::move(typed)) {}

  void Add(std::string_view word, std::string_view about = "") {
    if (!word.starts_with(typed_)) return;
    completions_.push_back({std::string(word), std::string(about)});
  }
  // What Complete gives of the part behind `kept`.
  void AddBehind(const std::string& kept, const Completions& rest) {
    for (const Completion& completion : rest) {
      Add(kept + completion.word, completion.about);
    }
  }

  const std::string& typed() const { return typed_; }
  Completions Take() && { return std::move(completions_); }

 private:
  std::string typed_;
  Completions completions_;
};

enum class Only { kDirectories, kAnyFile };

// "~/x" is looked for at home, and stays as it was typed.
Completions Files(const std::string& typed, const Invocation& line, Only only) {
  const std::size_t slash = typed.rfind('/');
  const std::string folder =
      slash == typed.npos ? "" : typed.substr(0, slash + 1);
  fs::path where = folder.empty() ? fs::path(".") : fs::path(folder);
  const auto home = line.surroundings.environment.find("HOME");
  if (folder.starts_with("~/") && home != line.surroundings.environment.end()) {
    where = fs::path(home->second) / folder.substr(2);
  }
  Offer offer(typed);
  std::error_code error;
  for (fs::directory_iterator entry(where, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_hidden = name.starts_with('.');
    if (is_hidden && !typed.substr(folder.size()).starts_with('.')) continue;
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      offer.Add(folder + name + "/");
    } else if (only == Only::kAnyFile) {
      offer.Add(folder + name);
    }
  }
  Completions found = std::move(offer).Take();
  std::ranges::sort(found, {}, &Completion::word);
  return found;
}

Completions AnyFiles(const std::string& typed, const Invocation& line) {
  return Files(typed, line, Only::kAnyFile);
}

Completions Directories(const std::string& typed, const Invocation& line) {
  return Files(typed, line, Only::kDirectories);
}

Completions BuiltInTasks(const std::string& typed, const Invocation& line) {
  const engine::SystemClock clock;
  const std::atomic<bool> drain = false;
  const auto factory =
      engine::CampaignFactory::Make(line.config, {}, clock, drain);
  if (!factory) return {};
  const auto names = (*factory)->tasks().TaskNames();
  if (!names) return {};
  Offer offer(typed);
  for (const std::string& name : *names) offer.Add(name);
  return std::move(offer).Take();
}

// "gemv", "sim:hill/1", "kernelbench:FILE", "DIRECTORY:NAME".
Completions Tasks(const std::string& typed, const Invocation& line) {
  const std::size_t colon = typed.find(':');
  Offer offer(typed);
  if (colon == typed.npos) {
    offer.AddBehind("", BuiltInTasks(typed, line));
    offer.Add("sim:", "simulated landscapes");
    offer.Add("recorded:", "recorded tuning spaces");
    offer.Add("fitted:", "a landscape that `coppice task fit` made");
    offer.Add("kernelbench:", "a problem of KernelBench");
    offer.Add("fib:", "a definition of FlashInfer-Bench");
    offer.Add("gpumode:", "a problem of GPU MODE");
    for (const Completion& folder : Directories(typed, line)) {
      const std::string path = folder.word.substr(0, folder.word.size() - 1);
      std::error_code ignored;
      const bool is_set = fs::is_directory(path + "/definitions", ignored);
      offer.Add(is_set ? path + ":" : folder.word);
    }
    return std::move(offer).Take();
  }
  const std::string kind = typed.substr(0, colon + 1);
  if (engine::LandscapeTasks::IsOne(typed)) {
    for (const std::string& name :
         engine::LandscapeTasks(line.settings().data_directory).Names()) {
      offer.Add(name);
    }
  }
  if (kind == "kernelbench:" || kind == "fib:" || kind == "recorded:" ||
      kind == "fitted:" || kind == "gpumode:") {
    offer.AddBehind(kind, AnyFiles(typed.substr(colon + 1), line));
  } else if (const auto names = eval::ListDefinitions(typed.substr(0, colon))) {
    for (const std::string& name : *names) offer.Add(kind + name);
  }
  return std::move(offer).Take();
}

Completions CampaignNames(const std::string& typed, const Invocation& line) {
  auto database =
      store::Database::Open(line.settings().db, store::Access::kGlance);
  if (!database) return {};
  const auto rows = store::Campaigns(*database).List();
  if (!rows) return {};
  Offer offer(typed);
  for (const store::CampaignRow& row : *rows) {
    if (row.spec.name.starts_with("-")) continue;  // It would be an option.
    offer.Add(row.spec.name, std::to_string(row.nodes) + " nodes");
  }
  return std::move(offer).Take();
}

Completions TasksAndCampaigns(const std::string& typed,
                              const Invocation& line) {
  Completions both = CampaignNames(typed, line);
  for (Completion& task : Tasks(typed, line)) both.push_back(std::move(task));
  return both;
}

Completions Nodes(const std::string& typed, const Invocation& line) {
  auto database =
      store::Database::Open(line.settings().db, store::Access::kGlance);
  if (!database) return {};
  std::istringstream nothing;
  std::ostringstream unheard;
  Streams streams{nothing, unheard, unheard};
  const auto campaign = ChooseCampaign(line, streams, *database);
  if (!campaign) return {};
  Offer offer(typed);
  offer.Add("best");
  offer.Add("root");
  constexpr std::int64_t kMostOffered = 1000;
  const std::int64_t nodes = std::min(campaign->nodes, kMostOffered);
  for (std::int64_t node = 0; node < nodes; ++node) {
    offer.Add(std::to_string(node));
  }
  return std::move(offer).Take();
}

Completions Policies(const std::string& typed, const Invocation&) {
  Offer offer(typed);
  for (const std::string_view name : search::PolicyNames()) offer.Add(name);
  return std::move(offer).Take();
}

Completions Presets(const std::string& typed, const Invocation&) {
  Offer offer(typed);
  for (const config::Preset& preset : config::Presets()) {
    offer.Add(preset.name, preset.help);
  }
  return std::move(offer).Take();
}

Completions Models(const std::string& typed, const Invocation& line) {
  Offer offer(typed);
  for (const OwnProvider& own : kOwnProviders) {
    const std::string start =
        std::string(own.name) + (own.operand.empty() ? "" : ":");
    if (own.answerer == Answerer::kCassette && typed.starts_with(start)) {
      Offer files(typed);
      files.AddBehind(start, AnyFiles(typed.substr(start.size()), line));
      return std::move(files).Take();
    }
    if (!own.help.empty()) offer.Add(start, own.help);
  }
  std::optional<fs::path> users_file;
  if (const auto& file = line.settings().models_file) users_file = *file;
  const auto table =
      agents::ModelTable::Load(line.settings().data_directory, users_file);
  if (!table) return std::move(offer).Take();
  for (const std::string& name : table->ProviderNames()) offer.Add(name + ":");
  return std::move(offer).Take();
}

Completions Devices(const std::string& typed, const Invocation&) {
  Offer offer(typed);
  for (const char* name : {"auto", "cpu", "all"}) offer.Add(name);
  return std::move(offer).Take();
}

Completions Baselines(const std::string& typed, const Invocation&) {
  Offer offer(typed);
  for (const char* name : {"all", "none"}) offer.Add(name);
  for (const std::string& name : engine::TorchBaselineNames()) offer.Add(name);
  return std::move(offer).Take();
}

struct Kind {
  std::string_view placeholder;
  Completions (*values)(const std::string& typed, const Invocation& line);
};
constexpr Kind kKinds[] = {
    {"TASK", Tasks},
    {"CAMPAIGN", CampaignNames},
    {"NODE", Nodes},
    {"A", Nodes},
    {"B", Nodes},
    {"POLICY", Policies},
    {"PRESET", Presets},
    {"MODEL", Models},
    {"DEVICE", Devices},
    {"BASELINE", Baselines},
    {"FILE", AnyFiles},
    {"PATH", AnyFiles},
    {"DB", AnyFiles},
    {"DIRECTORY", Directories},
    {"TASK|CAMPAIGN", TasksAndCampaigns},
};

// What a placeholder stands for: "TASK", "auto|text"; "POLICY,..." is a list.
Completions Values(std::string_view placeholder, const std::string& typed,
                   const Invocation& line) {
  constexpr std::string_view kList = ",...";
  Offer offer(typed);
  if (placeholder.ends_with(kList)) {
    placeholder.remove_suffix(kList.size());
    const std::string kept = typed.substr(0, typed.rfind(',') + 1);
    offer.AddBehind(kept, Values(placeholder, typed.substr(kept.size()), line));
    return std::move(offer).Take();
  }
  const auto* kind = std::ranges::find(kKinds, placeholder, &Kind::placeholder);
  if (kind != std::end(kKinds)) {
    offer.AddBehind("", kind->values(typed, line));
    return std::move(offer).Take();
  }
  for (const std::string& choice : config::Choices(placeholder)) {
    offer.Add(choice);
  }
  return std::move(offer).Take();
}

struct KnownOption {
  std::string placeholder;  // Empty: it takes no value.
  std::string about;
};

// The options that the verb takes, by name, without dashes.
std::map<std::string, KnownOption> OptionsOf(const Verb& verb) {
  std::map<std::string, KnownOption> options{
      {"help", {"", "what the verb does, and its options"}},
      {"config", {"FILE", "settings, instead of coppice.conf"}}};
  for (const std::string_view name : verb.settings) {
    const config::Key& key = *config::FindKey(name);
    options[config::OptionName(name)] = {std::string(key.placeholder),
                                         std::string(key.help)};
  }
  for (const Option& option : verb.options) {
    options[std::string(option.name)] = {std::string(option.placeholder),
                                         std::string(option.help)};
  }
  return options;
}

// The words before the one that is typed.
struct Typed {
  Words arguments;
  std::map<std::string, std::string, std::less<>> options;
  std::string waiting;  // The option whose value comes next; empty: none.
  bool only_arguments = false;  // After "--".
};

Typed Read(const Words& words,
           const std::map<std::string, KnownOption>& options) {
  Typed typed;
  for (const std::string& word : words) {
    if (!typed.waiting.empty()) {
      typed.options[std::exchange(typed.waiting, "")] = word;
    } else if (typed.only_arguments || !word.starts_with("--")) {
      typed.arguments.push_back(word);
    } else if (word == "--") {
      typed.only_arguments = true;
    } else {
      const std::size_t equals = std::min(word.find('='), word.size());
      const std::string name = word.substr(2, equals - 2);
      const auto known = options.find(name);
      const bool is_whole = equals < word.size() || known == options.end() ||
                            known->second.placeholder.empty();
      if (is_whole) {
        typed.options[name] = word.substr(std::min(equals + 1, word.size()));
      } else {
        typed.waiting = name;
      }
    }
  }
  return typed;
}

// Settings in force as far as they make sense.
config::Loaded SettingsOf(const Verb& verb, const Typed& typed,
                          const config::Surroundings& surroundings) {
  std::vector<config::Override> overrides;
  for (const std::string_view key : verb.settings) {
    const auto given = typed.options.find(config::OptionName(key));
    if (given != typed.options.end()) {
      overrides.push_back({std::string(key), given->second});
    }
  }
  // `replay [FILE]` and others name the database so.
  const bool names_database =
      verb.arguments == "[FILE]" || verb.arguments == "[DB]";
  if (names_database && !typed.arguments.empty()) {
    overrides.push_back({"db", typed.arguments.front()});
  }
  std::optional<fs::path> file;
  if (const auto given = typed.options.find("config");
      given != typed.options.end()) {
    file = given->second;
  }
  if (auto loaded = config::Load(surroundings, file, overrides)) {
    return *std::move(loaded);
  }
  config::Loaded defaults;
  defaults.settings.data_directory = surroundings.data_directory;
  return defaults;
}

// "TASK" of "TASK..." for any number; empty: no more arguments.
std::string ArgumentAt(std::size_t place, std::string_view arguments) {
  std::istringstream names{std::string(arguments)};
  std::string name;
  for (std::size_t i = 0; names >> name; ++i) {
    const bool is_endless = name.find("...") != name.npos;
    if (i != place && !is_endless) continue;
    std::erase(name, '[');
    std::erase(name, ']');
    return name.substr(0, name.find("..."));
  }
  return "";
}

Completions OptionNames(const std::map<std::string, KnownOption>& options,
                        const Typed& typed, const std::string& word) {
  Offer offer(word);
  for (const auto& [name, known] : options) {
    if (typed.options.contains(name)) continue;
    offer.Add("--" + name, known.about);
  }
  return std::move(offer).Take();
}

Completions AfterVerb(const Verb& verb, const Words& words,
                      const std::string& word,
                      const config::Surroundings& surroundings) {
  const auto options = OptionsOf(verb);
  const Typed typed = Read(words, options);
  const Invocation line{SettingsOf(verb, typed, surroundings), surroundings,
                        typed.arguments, typed.options};
  if (!typed.waiting.empty()) {
    return Values(options.at(typed.waiting).placeholder, word, line);
  }
  if (!typed.only_arguments && word.starts_with("-")) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return OptionNames(options, typed, word);
    const auto known = options.find(word.substr(2, equals - 2));
    if (known == options.end()) return {};
    Offer offer(word);
    offer.AddBehind(
        word.substr(0, equals + 1),
        Values(known->second.placeholder, word.substr(equals + 1), line));
    return std::move(offer).Take();
  }
  const std::string argument =
      ArgumentAt(typed.arguments.size(), verb.arguments);
  if (!argument.empty()) return Values(argument, word, line);
  return word.empty() ? OptionNames(options, typed, word) : Completions();
}

Completions VerbNames(const std::string& word) {
  Offer offer(word);
  for (const Verb* verb : Verbs()) offer.Add(verb->name, verb->summary);
  return std::move(offer).Take();
}

constexpr std::string_view kShells = "bash|zsh|fish";

Completions ActionNames(const Verb& verb, const std::string& word) {
  Offer offer(word);
  for (const Verb& action : verb.actions) {
    offer.Add(LastWord(action.name), action.summary);
  }
  return std::move(offer).Take();
}

Result<Exit> RunCompletion(const Invocation& invocation, Streams& streams) {
  const std::string& shell = invocation.arguments.front();
  const Words shells = config::Choices(kShells);
  if (auto known = config::CheckChoice(shell, shells); !known) {
    return Fail(Errc::kUsage, shell + ": " + known.error().what);
  }
  streams.out << (shell == "bash"  ? kBashCompletion
                  : shell == "zsh" ? kZshCompletion
                                   : kFishCompletion);
  return Exit::kDone;
}

}  // namespace

Completions Complete(const Words& words,
                     const config::Surroundings& surroundings) {
  if (words.empty()) return {};
  const std::string& word = words.back();
  Words before(words.begin(), words.end() - 1);
  if (before.empty()) {
    Offer offer(word);
    offer.AddBehind("", VerbNames(word));
    offer.Add("help", "what there is, or what a verb does");
    offer.Add("version", "which coppice this is");
    if (word.starts_with("-")) {
      offer.Add("--help");
      offer.Add("--version");
    }
    return std::move(offer).Take();
  }
  const bool asks_help = before.front() == "help";
  if (asks_help) before.erase(before.begin());
  if (before.empty()) return VerbNames(word);
  if (const OldVerb* old = FindOldVerb(before)) {
    before.erase(before.begin());
    before.insert(before.begin(), old->now.begin(), old->now.end());
  }
  const Verb* verb = FindVerb(before.front());
  if (verb == nullptr) return {};
  before.erase(before.begin());
  if (!verb->actions.empty()) {
    if (before.empty()) return ActionNames(*verb, word);
    verb = FindAction(*verb, before.front());
    if (verb == nullptr) return {};
    before.erase(before.begin());
  }
  if (asks_help) return {};
  return AfterVerb(*verb, before, word, surroundings);
}

void PrintCompletions(const Words& words,
                      const config::Surroundings& surroundings,
                      Streams& streams) {
  const bool has_dashes = !words.empty() && words.front() == "--";
  const Words typed(words.begin() + (has_dashes ? 1 : 0), words.end());
  for (const Completion& completion : Complete(typed, surroundings)) {
    // No shell could tell a word with a line's end from two.
    if (completion.word.find_first_of("\n\t") != std::string::npos) continue;
    streams.out << completion.word;
    if (!completion.about.empty()) streams.out << "\t" << completion.about;
    streams.out << "\n";
  }
}

Verb CompletionVerb() {
  return {
      .name = "completion",
      .summary = "a script by which a shell completes command lines",
      .arguments = kShells,
      .examples =
          "  source <(coppice completion bash)\n"
          "  coppice completion zsh > ~/.zsh/completions/_coppice\n"
          "  coppice completion fish > "
          "~/.config/fish/completions/coppice.fish\n",
      .options = {},
      .settings = {},
      .run = RunCompletion,
  };
}

}  // namespace coppice::cli
