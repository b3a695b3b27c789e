// The table of settings: a row for each key.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "config/settings.h"
#include "store/records/result.h"

namespace coppice::config {

// Limits of a number, both included.
struct Range {
  double least;
  double most;
};

struct Key {
  using Member =
      std::variant<std::filesystem::path Settings::*, std::string Settings::*,
                   std::uint64_t Settings::*, std::int64_t Settings::*,
                   double Settings::*, std::optional<double> Settings::*,
                   std::optional<std::string> Settings::*,
                   ModelChoice Settings::*, Agents Settings::*>;

  // "budget_s": in files as it is, COPPICE_BUDGET_S in the environment, and
  // --budget-s as an option.
  std::string_view name;
  std::string_view placeholder;  // What help calls the value: "SECONDS".
  std::string_view help;         // One line.
  Member member;
  Range range{0, 0};  // Of a number; unused otherwise.
};

std::span<const Key> Keys();  // In the order that help shows them.

const Key* FindKey(std::string_view name);  // Null if there is none.

// kUsage says what was expected: "expected a whole number of at least 1".  It
// does not repeat `text`, which may be a secret in the wrong place.
Result<void> Assign(const Key& key, std::string_view text, Settings& settings);

// The text that Assign would read back; empty for an unset value.
std::string Print(const Key& key, const Settings& settings);

// "COPPICE_BUDGET_S" and "budget-s" of "budget_s".
std::string EnvironmentName(std::string_view key);
std::string OptionName(std::string_view key);

}  // namespace coppice::config
