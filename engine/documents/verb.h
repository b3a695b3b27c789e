// A verb of the command line, as `status` in `coppice status --db x.db`.
//
// A new verb is a .cc that defines its function and its Verb, a declaration in
// verbs.h, and a line of the table in verbs.cc.  Options, settings, help,
// manual, completion and error reports are made from that; the verb gets its
// words parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "store/records/result.h"

namespace coppice::cli {

// The process's exit codes.  An Error becomes kUsage or kFailure.
enum class Exit : int {
  kDone = 0,
  kFailure = 1,
  kUsage = 2,
  kNoImprovement = 3,  // Nothing beat the root, or a kernel failed.
  kInterrupted = 130,  // Drained and committed; `coppice resume` goes on.
};

// Where a verb reads and writes.  stdout is for results, stderr for progress
// and messages.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;  // On `out`: a terminal, and no NO_COLOR.
  int columns = 80;     // Of the terminal, if it is one.
  // The columns of `err`.  Asked whenever they are needed, since a terminal may
  // be resized.
  std::function<int()> err_columns{};
};

// kTexts may be given several times; Invocation::Texts has them all.
enum class Takes : std::uint8_t { kNothing, kText, kTexts, kCount };

// An option beside the settings: {"json", Takes::kNothing, "", "..."}.
struct Option {
  std::string_view name;          // Without its dashes.
  Takes takes = Takes::kNothing;  // kCount: a whole number, 0 or more.
  // What help calls the value, by which completion knows what it may be:
  // "FILE" (engine/cli/completion.cc).  "best|all": no others are taken.
  std::string_view placeholder;
  std::string_view help;
};

// Those that many verbs have.
inline constexpr Option kJsonOption{"json", Takes::kNothing, "", "as JSON"};
inline constexpr Option kCampaignOption{
    "campaign", Takes::kText, "CAMPAIGN",
    "or a part of its name; by default the one that ran last"};

// What the user asked for.
struct Invocation {
  config::Loaded config;  // Settings in force, each with its origin.
  config::Surroundings surroundings;
  std::vector<std::string> arguments;  // As many as Verb::arguments allows.
  std::map<std::string, std::string, std::less<>> options;  // Those given.

  const config::Settings& settings() const { return config.settings; }

  bool Has(std::string_view option) const { return options.contains(option); }
  std::optional<std::string> Text(std::string_view option) const;
  std::vector<std::string> Texts(std::string_view option) const;
  // REQUIRES: the option takes kCount.
  std::optional<std::int64_t> Count(std::string_view option) const;

  // kUsage if one of the options is given: "--option: " and `why`.
  Result<void> MustNotHave(std::initializer_list<std::string_view> unwanted,
                           const std::string& why) const;

  // One of the environment; empty: it is not set.
  std::string Variable(const std::string& name) const;
};

// A verb, or an action of one: `db` or `db doctor`.
struct Verb {
  std::string_view name;     // An action's has its verb's: "db doctor".
  std::string_view summary;  // One line: "what wins, and how it got there".
  // Words that say what follows: "NODE", "[NODE]", "TASK...", "[TASK...]".
  std::string_view arguments = {};
  std::string_view examples = {};  // Lines, each a command that works.
  std::vector<Option> options = {};
  // Keys of config/keys.cc that are options of this verb, with the dash:
  // "budget_s" is --budget-s.
  std::vector<std::string_view> settings = {};
  // The few of all those that help shows first, as they are typed, but for the
  // dashes: "budget-s".
  std::vector<std::string_view> first = {};
  Result<Exit> (*run)(const Invocation& invocation, Streams& streams) = nullptr;
  // Where there are some, the word after the verb names one of them, and the
  // verb has neither arguments nor options nor `run`.
  std::vector<Verb> actions = {};
};

// Whether its argument is the database: `replay [FILE]`.
bool NamesDatabase(const Verb& verb);

// "doctor" of "db doctor".
std::string_view LastWord(std::string_view name);

}  // namespace coppice::cli
