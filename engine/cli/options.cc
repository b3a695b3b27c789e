#include "engine/cli/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "engine/cli/actions.h"
#include "engine/cli/verbs.h"
#include "store/records/joined.h"
#include "store/records/nearest_name.h"
#include "store/records/parse_number.h"

namespace coppice::cli {
namespace {

namespace po = boost::program_options;

tl::unexpected<Error> Usage(std::string what) {
  return Fail(Errc::kUsage, std::move(what));
}

// Every long name that the verb takes, with whether a value follows.
std::map<std::string, bool> Known(const Verb& verb) {
  std::map<std::string, bool> known{{"help", false}, {"config", true}};
  for (const std::string_view key : verb.settings) {
    known[config::OptionName(key)] = true;
  }
  for (const Option& option : verb.options) {
    known[std::string(option.name)] = option.takes != Takes::kNothing;
  }
  return known;
}

po::options_description Describe(const std::map<std::string, bool>& known) {
  po::options_description description;
  for (const auto& [name, takes_value] : known) {
    const std::string spelled = name == "help" ? "help,h" : name;
    if (takes_value) {
      description.add_options()(spelled.c_str(), po::value<std::string>(), "");
    } else {
      description.add_options()(spelled.c_str(), "");
    }
  }
  return description;
}

// Other actions of the same verb that have the option: "report merge".
std::string ActionsWith(const Verb& verb, const std::string& option) {
  const std::string_view whole = verb.name.substr(0, verb.name.find(' '));
  const Verb* found = whole == verb.name ? nullptr : FindVerb(whole);
  if (found == nullptr) return "";
  std::vector<std::string_view> names;
  for (const Verb& action : found->actions) {
    if (Known(action).contains(option)) names.push_back(action.name);
  }
  return Joined(names, ", ");
}

// Tells where to go from a complaint.
std::string SeeHelp(const Verb& verb) {
  return "; see: coppice " + std::string(verb.name) + " --help";
}

std::string UnknownOption(const Verb& verb, const std::string& word,
                          const std::map<std::string, bool>& known) {
  const std::string spelled = word.substr(0, word.find('='));
  std::string what = "unknown option '" + spelled + "'";
  std::vector<std::string> names;
  for (const auto& [name, takes_value] : known) names.push_back(name);
  const std::size_t dashes = spelled.find_first_not_of('-');
  const std::string bare = spelled.substr(std::min(dashes, spelled.size()));
  if (const std::string others = ActionsWith(verb, bare); !others.empty()) {
    return what + "; it goes with " + others;
  }
  if (const auto nearest = NearestName(bare, names)) {
    return what + "; did you mean '--" + *nearest + "'?";
  }
  return what + SeeHelp(verb);
}

// What a setting that was named should have been given; `option` has dashes.
std::string WhatIsMissing(const std::string& option) {
  for (const config::Key& key : config::Keys()) {
    if (option != "--" + config::OptionName(key.name)) continue;
    config::Settings unused;
    const auto assigned = config::Assign(key, "", unused);
    if (!assigned) return assigned.error().what;
  }
  return "expected a value";
}

// Boost's own texts name no option in half of the cases.
Result<po::parsed_options> Split(const std::vector<std::string>& words,
                                 const std::map<std::string, bool>& known) {
  namespace style = po::command_line_style;
  const po::options_description description = Describe(known);
  try {
    // Guessing would take --se for --seed today, and be ambiguous tomorrow.
    return po::command_line_parser(words)
        .options(description)
        .style(style::default_style & ~style::allow_guessing)
        .allow_unregistered()
        .run();
  } catch (const po::error_with_option_name& error) {
    const std::string& name = error.get_option_name();
    using Syntax = po::invalid_command_line_syntax;
    const auto* syntax = dynamic_cast<const Syntax*>(&error);
    if (syntax != nullptr &&
        (syntax->kind() == Syntax::missing_parameter ||
         syntax->kind() == Syntax::empty_adjacent_parameter)) {
      return Usage(name + ": " + WhatIsMissing(name));
    }
    if (syntax != nullptr && syntax->kind() == Syntax::extra_parameter) {
      return Usage(name + ": takes no value");
    }
    return Usage(error.what());
  } catch (const po::error& error) {
    return Usage(error.what());
  }
}

// "--on done COMMAND" is "--on-done COMMAND".
Result<std::vector<std::string>> WithoutEvents(
    const std::map<std::string, bool>& known, std::vector<std::string> words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] != "--on" || !known.contains("on-done")) continue;
    const std::string event = i + 1 < words.size() ? words[i + 1] : "";
    if (!known.contains("on-" + event)) {
      return Usage(
          "--on: expected done, best, trouble or steered, and a command");
    }
    words[i] += "-" + event;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    ++i;  // The command.
  }
  return words;
}

bool MayRepeat(const Verb& verb, const std::string& name) {
  const auto option = std::ranges::find(verb.options, name, &Option::name);
  return option != verb.options.end() && option->takes == Takes::kTexts;
}

Result<void> CheckCount(const Option& option, const std::string& text) {
  if (ParseCount(text)) return {};
  const bool is_too_large =
      !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  return Usage("--" + std::string(option.name) + ": expected a whole number " +
               (is_too_large ? "below 2^63" : "of at least 0") + ", not '" +
               text + "'");
}

// Words of Verb::arguments against the number given.
Result<void> CheckArguments(const Verb& verb,
                            const std::vector<std::string>& given) {
  std::istringstream names{std::string(verb.arguments)};
  std::string name;
  std::size_t most = 0;
  bool endless = false;
  while (names >> name) {
    endless = endless || name.find("...") != name.npos;
    if (name.front() != '[' && given.size() == most) {
      return Usage("missing " + name.substr(0, name.find("...")) +
                   SeeHelp(verb));
    }
    ++most;
  }
  if (!endless && given.size() > most) {
    const std::string hint = HintOfDatabase(given[most]);
    const bool has_db = std::ranges::count(verb.settings, "db") > 0;
    return Usage("unexpected '" + given[most] + "'" +
                 (hint.empty() || !has_db ? SeeHelp(verb) : hint));
  }
  return {};
}

}  // namespace

Result<ParsedWords> ParseWords(const Verb& verb,
                               const std::vector<std::string>& words) {
  const auto known = Known(verb);
  TRY(named, WithoutEvents(known, words));
  TRY(split, Split(named, known));

  ParsedWords parsed;
  for (const po::option& word : split.options) {
    if (word.position_key >= 0) {
      parsed.arguments.insert(parsed.arguments.end(), word.value.begin(),
                              word.value.end());
    } else if (word.unregistered) {
      return Usage(UnknownOption(verb, word.original_tokens.front(), known));
    } else if (word.string_key == "help") {
      parsed.help = true;
      return parsed;
    } else {
      const std::string value = word.value.empty() ? "" : word.value.front();
      if (value.empty() && MayRepeat(verb, word.string_key)) {
        return Usage("--" + word.string_key + ": expected a value");
      }
      const auto [entry, is_new] =
          parsed.options.emplace(word.string_key, value);
      if (!is_new && !MayRepeat(verb, word.string_key)) {
        return Usage("--" + word.string_key + ": given twice");
      }
      if (!is_new) entry->second += "\n" + value;
    }
  }
  if (const auto given = parsed.options.extract("config")) {
    parsed.config_file = given.mapped();
  }
  for (const std::string_view key : verb.settings) {
    const auto given = parsed.options.extract(config::OptionName(key));
    if (given) parsed.settings.push_back({std::string(key), given.mapped()});
  }
  for (const Option& option : verb.options) {
    const auto given = parsed.options.find(option.name);
    if (given == parsed.options.end()) continue;
    if (option.takes == Takes::kCount) {
      TRY_DONE(CheckCount(option, given->second));
    }
    if (option.takes != Takes::kText) continue;
    if (given->second.empty()) {
      return Usage("--" + given->first + ": expected a value");
    }
    const auto choices = config::Choices(option.placeholder);
    if (choices.empty()) continue;
    if (auto known_one = config::CheckChoice(given->second, choices);
        !known_one) {
      return Usage("--" + given->first + " " + given->second + ": " +
                   known_one.error().what);
    }
  }
  TRY_DONE(CheckArguments(verb, parsed.arguments));
  return parsed;
}

std::optional<std::string> Invocation::Text(std::string_view option) const {
  const auto given = options.find(option);
  if (given == options.end()) return std::nullopt;
  return given->second;
}

std::vector<std::string> Invocation::Texts(std::string_view option) const {
  std::vector<std::string> texts;
  std::istringstream given(Text(option).value_or(""));
  for (std::string text; std::getline(given, text);) texts.push_back(text);
  return texts;
}

std::optional<std::int64_t> Invocation::Count(std::string_view option) const {
  const auto text = Text(option);
  return text ? ParseNumber<std::int64_t>(*text) : std::nullopt;
}

Result<void> Invocation::MustNotHave(
    std::initializer_list<std::string_view> unwanted,
    const std::string& why) const {
  for (const std::string_view option : unwanted) {
    if (Has(option)) return Usage("--" + std::string(option) + ": " + why);
  }
  return {};
}

std::string Invocation::Variable(const std::string& name) const {
  const auto found = surroundings.environment.find(name);
  return found == surroundings.environment.end() ? "" : found->second;
}

}  // namespace coppice::cli
