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
#include "engine/cli/counted.h"
#include "engine/cli/embedded.h"
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

// Gathers those that begin as what is typed does.
class Offer {
 public:
  Offer(std::string typed, Completions* found)
      : typed_(std::move(typed)), found_(found) {}

  void Add(std::string_view word, std::string_view about = "") {
    if (!word.starts_with(typed_)) return;
    found_->push_back({kept_ + std::string(word), std::string(about)});
  }
  // What gathers those of the part behind the first `bytes`, which stay.
  Offer Behind(std::size_t bytes) const {
    Offer rest(typed_.substr(bytes), found_);
    rest.kept_ = kept_ + typed_.substr(0, bytes);
    return rest;
  }

  const std::string& typed() const { return typed_; }

 private:
  std::string typed_;
  std::string kept_;
  Completions* found_;
};

enum class Only { kDirectories, kAnyFile };

// "~/x" is looked for at home, and stays as it was typed.
std::vector<std::string> Files(const std::string& typed, const Invocation& line,
                               Only only) {
  const std::string folder = typed.substr(0, typed.rfind('/') + 1);
  fs::path where = folder.empty() ? fs::path(".") : fs::path(folder);
  const std::string home = line.Variable("HOME");
  if (folder.starts_with("~/") && !home.empty()) {
    where = fs::path(home) / folder.substr(2);
  }
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(where, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_hidden = name.starts_with('.');
    if (is_hidden && !typed.substr(folder.size()).starts_with('.')) continue;
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      found.push_back(folder + name + "/");
    } else if (only == Only::kAnyFile) {
      found.push_back(folder + name);
    }
  }
  std::ranges::sort(found);
  return found;
}

template <Only kOnly>
void AddFiles(Offer& offer, const Invocation& line) {
  for (const std::string& file : Files(offer.typed(), line, kOnly)) {
    offer.Add(file);
  }
}

void AddBuiltInTasks(Offer& offer, const Invocation& line) {
  const engine::SystemClock clock;
  const std::atomic<bool> drain = false;
  const auto factory =
      engine::CampaignFactory::Make(line.config, {}, clock, drain);
  if (!factory) return;
  const auto names = (*factory)->tasks().TaskNames();
  if (!names) return;
  for (const std::string& name : *names) offer.Add(name);
}

// "gemv", "sim:hill/1", "kernelbench:FILE", "DIRECTORY:NAME".
void AddTasks(Offer& offer, const Invocation& line) {
  const std::string& typed = offer.typed();
  const std::size_t colon = typed.find(':');
  if (colon == typed.npos) {
    AddBuiltInTasks(offer, line);
    offer.Add("sim:", "simulated landscapes");
    offer.Add("recorded:", "recorded tuning spaces");
    offer.Add("fitted:", "a landscape that `coppice task fit` made");
    offer.Add("kernelbench:", "a problem of KernelBench");
    offer.Add("fib:", "a definition of FlashInfer-Bench");
    offer.Add("gpumode:", "a problem of GPU MODE");
    for (const std::string& folder : Files(typed, line, Only::kDirectories)) {
      const std::string path = folder.substr(0, folder.size() - 1);
      std::error_code ignored;
      const bool is_set = fs::is_directory(path + "/definitions", ignored);
      offer.Add(is_set ? path + ":" : folder);
    }
    return;
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
    Offer path = offer.Behind(kind.size());
    AddFiles<Only::kAnyFile>(path, line);
  } else if (const auto names = eval::ListDefinitions(typed.substr(0, colon))) {
    for (const std::string& name : *names) offer.Add(kind + name);
  }
}

void AddCampaigns(Offer& offer, const Invocation& line) {
  auto database =
      store::Database::Open(line.settings().db, store::Access::kGlance);
  if (!database) return;
  const auto rows = store::Campaigns(*database).List();
  if (!rows) return;
  for (const store::CampaignRow& row : *rows) {
    if (row.spec.name.starts_with("-")) continue;  // It would be an option.
    offer.Add(row.spec.name, Counted(row.nodes, "node"));
  }
}

void AddCampaignsAndTasks(Offer& offer, const Invocation& line) {
  AddCampaigns(offer, line);
  AddTasks(offer, line);
}

void AddNodes(Offer& offer, const Invocation& line) {
  auto database =
      store::Database::Open(line.settings().db, store::Access::kGlance);
  if (!database) return;
  std::istringstream nothing;
  std::ostringstream unheard;
  Streams streams{nothing, unheard, unheard};
  const auto campaign = ChooseCampaign(line, streams, *database);
  if (!campaign) return;
  offer.Add("best");
  offer.Add("root");
  constexpr std::int64_t kMostOffered = 1000;
  const std::int64_t nodes = std::min(campaign->nodes, kMostOffered);
  for (std::int64_t node = 0; node < nodes; ++node) {
    offer.Add(std::to_string(node));
  }
}

void AddPolicies(Offer& offer, const Invocation&) {
  for (const std::string_view name : search::PolicyNames()) offer.Add(name);
}

void AddPresets(Offer& offer, const Invocation&) {
  for (const config::Preset& preset : config::Presets()) {
    offer.Add(preset.name, preset.help);
  }
}

void AddModels(Offer& offer, const Invocation& line) {
  for (const OwnProvider& own : kOwnProviders) {
    const std::string start =
        std::string(own.name) + (own.operand.empty() ? "" : ":");
    if (own.answerer == Answerer::kCassette &&
        offer.typed().starts_with(start)) {
      Offer path = offer.Behind(start.size());
      return AddFiles<Only::kAnyFile>(path, line);
    }
    if (!own.help.empty()) offer.Add(start, own.help);
  }
  std::optional<fs::path> users_file;
  if (const auto& file = line.settings().models_file) users_file = *file;
  const auto table =
      agents::ModelTable::Load(line.settings().data_directory, users_file);
  if (!table) return;
  for (const std::string& name : table->ProviderNames()) offer.Add(name + ":");
}

void AddDevices(Offer& offer, const Invocation&) {
  for (const char* name : {"auto", "cpu", "all"}) offer.Add(name);
}

void AddBaselines(Offer& offer, const Invocation&) {
  for (const char* name : {"all", "none"}) offer.Add(name);
  for (const std::string& name : engine::TorchBaselineNames()) offer.Add(name);
}

struct Kind {
  std::string_view placeholder;
  void (*add)(Offer& offer, const Invocation& line);
};
constexpr Kind kKinds[] = {
    {"TASK", AddTasks},
    {"CAMPAIGN", AddCampaigns},
    {"NODE", AddNodes},
    {"A", AddNodes},
    {"B", AddNodes},
    {"POLICY", AddPolicies},
    {"PRESET", AddPresets},
    {"MODEL", AddModels},
    {"DEVICES", AddDevices},
    {"BASELINE", AddBaselines},
    {"FILE", AddFiles<Only::kAnyFile>},
    {"PATH", AddFiles<Only::kAnyFile>},
    {"DB", AddFiles<Only::kAnyFile>},
    {"DIRECTORY", AddFiles<Only::kDirectories>},
    {"TASK|CAMPAIGN", AddCampaignsAndTasks},
};

// What a placeholder stands for: "TASK", "auto|text"; "POLICY,..." is a list.
void AddValues(std::string_view placeholder, Offer offer,
               const Invocation& line) {
  constexpr std::string_view kList = ",...";
  if (placeholder.ends_with(kList)) {
    placeholder.remove_suffix(kList.size());
    offer = offer.Behind(offer.typed().rfind(',') + 1);
  }
  const auto* kind = std::ranges::find(kKinds, placeholder, &Kind::placeholder);
  if (kind != std::end(kKinds)) return kind->add(offer, line);
  for (const std::string& choice : config::Choices(placeholder)) {
    offer.Add(choice);
  }
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
  if (NamesDatabase(verb) && !typed.arguments.empty()) {
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

void AddOptions(const std::map<std::string, KnownOption>& options,
                const Typed& typed, Offer& offer) {
  for (const auto& [name, known] : options) {
    if (typed.options.contains(name)) continue;
    offer.Add("--" + name, known.about);
  }
}

void AddAfterVerb(const Verb& verb, const Words& words,
                  const config::Surroundings& surroundings, Offer& offer) {
  const std::string& word = offer.typed();
  const auto options = OptionsOf(verb);
  const Typed typed = Read(words, options);
  const Invocation line{SettingsOf(verb, typed, surroundings), surroundings,
                        typed.arguments, typed.options};
  if (!typed.waiting.empty()) {
    return AddValues(options.at(typed.waiting).placeholder, offer, line);
  }
  if (!typed.only_arguments && word.starts_with("-")) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return AddOptions(options, typed, offer);
    const auto known = options.find(word.substr(2, equals - 2));
    if (known == options.end()) return;
    return AddValues(known->second.placeholder, offer.Behind(equals + 1), line);
  }
  const std::string argument =
      ArgumentAt(typed.arguments.size(), verb.arguments);
  if (!argument.empty()) return AddValues(argument, offer, line);
  if (word.empty()) AddOptions(options, typed, offer);
}

void AddVerbs(Offer& offer) {
  for (const Verb* verb : Verbs()) offer.Add(verb->name, verb->summary);
}

// `before` are the words before the one that is typed.
void AddNext(Words before, const config::Surroundings& surroundings,
             Offer& offer) {
  if (before.empty()) {
    AddVerbs(offer);
    offer.Add("help", "what there is, or what a verb does");
    offer.Add("version", "which coppice this is");
    if (!offer.typed().starts_with("-")) return;
    offer.Add("--help");
    offer.Add("--version");
    return;
  }
  const bool asks_help = before.front() == "help";
  if (asks_help) before.erase(before.begin());
  if (before.empty()) return AddVerbs(offer);
  if (const OldVerb* old = FindOldVerb(before)) {
    before.erase(before.begin());
    before.insert(before.begin(), old->now.begin(), old->now.end());
  }
  const Verb* verb = FindVerb(before.front());
  if (verb == nullptr) return;
  before.erase(before.begin());
  if (!verb->actions.empty()) {
    if (before.empty()) {
      for (const Verb& action : verb->actions) {
        offer.Add(LastWord(action.name), action.summary);
      }
      return;
    }
    verb = FindAction(*verb, before.front());
    if (verb == nullptr) return;
    before.erase(before.begin());
  }
  if (!asks_help) AddAfterVerb(*verb, before, surroundings, offer);
}

constexpr std::string_view kShells = "bash|zsh|fish";

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
  Completions found;
  if (words.empty()) return found;
  Offer offer(words.back(), &found);
  AddNext({words.begin(), words.end() - 1}, surroundings, offer);
  return found;
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
      .run = RunCompletion,
  };
}

}  // namespace coppice::cli
