// The table of settings: a row for each key.  What a verb takes, help, manual,
// completion and what a campaign keeps are all questions to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.h"
#include "store/records/result.h"

namespace coppice::config {

// Limits of a number, both included.
struct NumberRange {
  double least;
  double most;
};

// Keys that are wanted together, in the order of the table.
enum class Group : std::uint8_t {
  kDatabase,
  kBudget,
  kStop,
  kSearch,
  kPolicy,
  kAttempts,
  kModels,
  kProviders,
  kMoney,
  kAssistant,
  kNotices,
  kPrompts,
  kMemory,
  kThreads,
  kTimeouts,
  kDevices,
  kPython,
  kRules,
  kDelegation,
  kBaselines,
  kData,
  kCache,
};

// The heading that help gives them; several groups may share one.
std::string_view TitleOf(Group group);

// What else is to be known of a key, to be joined by |.
using Traits = unsigned;
inline constexpr Traits kPlain = 0;
// A campaign has the same value from its beginning to its end.
inline constexpr Traits kConstant = 1U << 0U;
// Campaigns of one comparison differ in it, or its own options say it.
inline constexpr Traits kVaried = 1U << 1U;
// A campaign that goes on takes it from its database (config/continue.h): it is
// of who its agents are, how they are reached, what they are shown and what
// they may cost.
inline constexpr Traits kKept = 1U << 2U;
// It runs a command, says where a key goes or names a file to write, and so is
// not a database's to decide.
inline constexpr Traits kUsersOwn = 1U << 3U;
// It is this user's and machine's: never stored with a campaign.
inline constexpr Traits kOfUserAlone = 1U << 4U;

struct Key {
  using Member =
      std::variant<std::filesystem::path Settings::*, std::string Settings::*,
                   std::uint64_t Settings::*, std::int64_t Settings::*,
                   double Settings::*, std::optional<double> Settings::*,
                   std::optional<std::string> Settings::*,
                   ModelList Settings::*, Agents Settings::*>;

  // "budget_s": in files as it is, COPPICE_BUDGET_S in the environment, and
  // --budget-s as an option.
  std::string_view name;
  // What help calls the value: "SECONDS".  "auto|text": no others are taken.
  std::string_view placeholder;
  std::string_view help;  // One line.
  Group group;
  Traits traits;
  Member member;
  NumberRange range{0, 0};  // Of a number; unused otherwise.

  bool Has(Traits any) const { return (traits & any) != 0; }
};

std::span<const Key> Keys();  // In the order that help shows them.

const Key* FindKey(std::string_view name);  // Null if there is none.

// Names of all keys, of those in some groups, of those with any of some traits,
// and of those with none of them; in the order of the table.
std::vector<std::string_view> AllNames();
std::vector<std::string_view> NamesIn(std::initializer_list<Group> groups);
std::vector<std::string_view> NamesWith(Traits any);
std::vector<std::string_view> NamesWithout(Traits any);

// {"auto", "text"} of "auto|text"; empty for other placeholders.
std::vector<std::string> Choices(std::string_view placeholder);

// kUsage if `text` is none of them: "expected auto or text", and the nearest.
Result<void> CheckChoice(std::string_view text,
                         const std::vector<std::string>& choices);

// kUsage says what was expected: "expected a whole number of at least 1".  It
// does not repeat `text`, which may be a secret in the wrong place.
Result<void> Assign(const Key& key, std::string_view text, Settings& settings);

// The text that Assign would read back; empty for an unset value.
std::string Print(const Key& key, const Settings& settings);

// "COPPICE_BUDGET_S" and "budget-s" of "budget_s".
std::string EnvironmentName(std::string_view key);
std::string OptionName(std::string_view key);

}  // namespace coppice::config
