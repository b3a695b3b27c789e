#include "engine/cli/help.h"

#include <algorithm>

#include "config/keys.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

struct Entry {
  std::string left;
  std::string right;
};

std::string InColumns(const std::vector<Entry>& rows) {
  std::size_t width = 0;
  for (const Entry& row : rows) width = std::max(width, row.left.size());
  std::string text;
  for (const Entry& row : rows) {
    text += "  " + row.left + std::string(width - row.left.size() + 2, ' ') +
            row.right + "\n";
  }
  return text;
}

std::string Spell(std::string_view name, std::string_view placeholder) {
  std::string text = "--" + std::string(name);
  if (!placeholder.empty()) text += " " + std::string(placeholder);
  return text;
}

}  // namespace

std::string OverallHelp() {
  std::vector<Entry> verbs;
  for (const Verb& verb : Verbs()) {
    std::string left(verb.name);
    if (!verb.arguments.empty()) left += " " + std::string(verb.arguments);
    verbs.push_back({std::move(left), std::string(verb.summary)});
  }
  return "coppice grows fast kernels: agents propose, an evaluator measures,\n"
         "and a tree in SQLite remembers every attempt.\n"
         "\n"
         "usage: coppice VERB ...     coppice VERB --help says more\n"
         "\n" +
         InColumns(verbs) +
         "\n"
         "exit codes\n" +
         InColumns({{"0", "done"},
                    {"1", "coppice failed; stderr says how"},
                    {"2",
                     "the command line or a settings file is wrong, or names "
                     "what does not exist"},
                    {"3", "the budget ended and nothing beat the root"},
                    {"130", "interrupted; `coppice resume` goes on"}});
}

std::string VerbHelp(const Verb& verb) {
  std::vector<Entry> options;
  for (const Option& option : verb.options) {
    options.push_back(
        {Spell(option.name, option.placeholder), std::string(option.help)});
  }
  const config::Settings defaults;
  for (const std::string_view name : verb.settings) {
    const config::Key* key = config::FindKey(name);
    std::string help(key->help);
    const std::string value = config::Print(*key, defaults);
    if (!value.empty() && name != "threads") help += " (" + value + ")";
    options.push_back(
        {Spell(config::OptionName(name), key->placeholder), std::move(help)});
  }
  options.push_back({"--config FILE", "settings, instead of coppice.conf"});
  options.push_back({"-h, --help", "this text"});

  std::string usage = "coppice " + std::string(verb.name);
  if (!verb.arguments.empty()) usage += " " + std::string(verb.arguments);
  return std::string(verb.examples) + "\n" + "usage: " + usage +
         " [options]: " + std::string(verb.summary) + "\n\n" +
         InColumns(options);
}

}  // namespace coppice::cli
