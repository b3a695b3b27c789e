// The providers that come with the program, a row each.  All others are rows of
// data/models.json (agents/provider/model_table.h).  What a provider is like is
// asked of its row: its name stands nowhere else in code
// (scripts/check_layers.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace coppice {

// Who answers in a provider's name.
enum class Answerer : std::uint8_t {
  kCatalogue,  // This program, by the transformations that it knows.
  kCassette,   // A file of answers that were recorded.
  kCommand,    // What the user names beside the provider.
  kOutside,    // Nobody is asked: an agent asks, and tells, by itself.
  kListed,     // Whoever a row of data/models.json says.
};

struct OwnProvider {
  std::string_view name{};     // "exec"
  std::string_view operand{};  // What stands behind it and a colon: "COMMAND".
  std::string_view help{};     // One line; empty: it is not offered.
  Answerer answerer = Answerer::kListed;
  bool has_sessions = false;  // Its agents work with tools.
  // Which of a user's wishes it is told of.
  bool heeds_temperature = false;
  bool heeds_effort = false;

  // Whether somebody is asked, who may be out of reach.
  constexpr bool IsAsked() const {
    return answerer != Answerer::kCatalogue && answerer != Answerer::kOutside;
  }
  // Whether equal requests have equal answers, which cost nothing.
  constexpr bool IsRepeatable() const {
    return answerer == Answerer::kCatalogue || answerer == Answerer::kCassette;
  }
  constexpr bool RunsCommand() const { return answerer == Answerer::kCommand; }
};

inline constexpr OwnProvider kOwnProviders[] = {
    {.name = "catalogue",
     .help = "transformations of sources, without a model",
     .answerer = Answerer::kCatalogue,
     .heeds_temperature = true},
    {.name = "replay",
     .operand = "FILE",
     .help = "answers that --record kept",
     .answerer = Answerer::kCassette,
     .heeds_temperature = true,
     .heeds_effort = true},
    {.name = "exec",
     .operand = "COMMAND",
     .help = "a command",
     .answerer = Answerer::kCommand},
    {.name = "session",
     .operand = "COMMAND",
     .help = "a command that works with tools",
     .answerer = Answerer::kCommand,
     .has_sessions = true},
    {.name = "outside",
     .answerer = Answerer::kOutside,
     .heeds_temperature = true,
     .heeds_effort = true},
};

// Its row; of any other name one that says kListed, and no more.
constexpr OwnProvider OwnProviderOf(std::string_view name) {
  const auto* row = std::ranges::find(kOwnProviders, name, &OwnProvider::name);
  return row == std::end(kOwnProviders) ? OwnProvider{} : *row;
}

// The name of the first that answers so.  REQUIRES: there is one.
constexpr std::string_view NameOf(Answerer answerer) {
  return std::ranges::find(kOwnProviders, answerer, &OwnProvider::answerer)
      ->name;
}

}  // namespace coppice
