#include "engine/cli/help.h"

#include <algorithm>
#include <sstream>

#include "engine/cli/text_wrap.h"
#include "engine/cli/verbs.h"
#include "store/records/joined.h"

namespace coppice::cli {
namespace {

constexpr std::size_t kFew = 8;          // Options that need no headings.
constexpr std::size_t kWidestLeft = 28;  // What is wider has its own line.
constexpr const char* kOptions = "options";

// Values that are too wide for a line go on after a bar.
std::string BreakValues(std::string left, std::size_t width) {
  const std::size_t bar =
      left.size() > width ? left.rfind('|', width - 1) : std::string::npos;
  if (bar == std::string::npos) return left;
  const std::size_t values = left.find(' ') + 3;
  return left.insert(bar + 1, "\n" + std::string(values, ' '));
}

std::string InColumns(const std::vector<HelpEntry>& rows, std::size_t width) {
  std::size_t widest = 0;
  for (const HelpEntry& row : rows) {
    if (row.left.size() <= kWidestLeft) {
      widest = std::max(widest, row.left.size());
    }
  }
  const std::size_t indent = widest + 4;
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  std::string text;
  for (const HelpEntry& row : rows) {
    text += "  " + BreakValues(row.left, width - 2);
    std::size_t column = row.left.size() + 2;
    for (const std::string& line : Wrap(row.right, room)) {
      if (column + 2 > indent) {
        text += "\n";
        column = 0;
      }
      text += std::string(indent - column, ' ') + line;
      column = indent;
    }
    text += "\n";
  }
  return text;
}

std::string AsLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string Headed(const std::string& title,
                   const std::vector<HelpEntry>& entries, std::size_t width) {
  return "\n" + title + "\n" + InColumns(entries, width);
}

std::string Spell(std::string_view name, std::string_view placeholder) {
  std::string text = "--" + std::string(name);
  if (!placeholder.empty()) text += " " + std::string(placeholder);
  return text;
}

HelpEntry EntryOf(const config::Key& key) {
  return {Spell(config::OptionName(key.name), key.placeholder),
          AboutSetting(key)};
}

void Add(const std::string& title, HelpEntry entry,
         std::vector<HelpSection>& sections) {
  auto found = std::ranges::find(sections, title, &HelpSection::title);
  if (found == sections.end()) {
    found = sections.insert(sections.end(), {title, {}});
  }
  found->entries.push_back(std::move(entry));
}

// "--budget N" is first if "budget" is.
std::size_t PlaceIn(const std::vector<std::string_view>& first,
                    const HelpEntry& entry) {
  const std::string name = entry.left.substr(2, entry.left.find(' ') - 2);
  return static_cast<std::size_t>(std::ranges::find(first, name) -
                                  first.begin());
}

// Takes those that are first out of the others' sections.
HelpSection TakeFirst(const std::vector<std::string_view>& first,
                      std::vector<HelpSection>& sections) {
  std::vector<HelpEntry> taken(first.size());
  for (HelpSection& section : sections) {
    std::erase_if(section.entries, [&](const HelpEntry& entry) {
      const std::size_t place = PlaceIn(first, entry);
      if (place == first.size()) return false;
      taken[place] = entry;
      return true;
    });
  }
  std::erase_if(sections,
                [](const HelpSection& each) { return each.entries.empty(); });
  return {"most used", std::move(taken)};
}

}  // namespace

std::vector<HelpSection> OptionSections(const Verb& verb) {
  std::vector<HelpSection> sections;
  for (const Option& option : verb.options) {
    Add(kOptions,
        {Spell(option.name, option.placeholder), std::string(option.help)},
        sections);
  }
  for (const std::string_view name : verb.settings) {
    const config::Key& key = *config::FindKey(name);
    const bool is_database = key.group == config::Group::kDatabase;
    Add(is_database ? kOptions : std::string(config::TitleOf(key.group)),
        EntryOf(key), sections);
  }
  if (!verb.first.empty()) {
    sections.insert(sections.begin(), TakeFirst(verb.first, sections));
  }
  const bool is_short = verb.options.size() + verb.settings.size() <= kFew;
  if (is_short) {
    HelpSection all{kOptions, {}};
    for (HelpSection& section : sections) {
      for (HelpEntry& entry : section.entries) {
        all.entries.push_back(std::move(entry));
      }
    }
    sections = {std::move(all)};
  }
  const std::string last = is_short ? kOptions : "always";
  Add(last, {"--config FILE", "settings, instead of coppice.conf"}, sections);
  Add(last, {"-h, --help", "this text"}, sections);
  return sections;
}

std::string AboutSetting(const config::Key& key) {
  static const config::Settings kDefaults;
  const std::string value = config::Print(key, kDefaults);
  std::string about(key.help);
  // How many threads there are is the machine's to say.
  if (value.empty() || key.name == "threads") return about;
  return about + " (" + value + ")";
}

std::vector<HelpEntry> ExitCodes() {
  return {
      {"0", "done"},
      {"1",
       "coppice failed; stderr says how. Or a task is not fit for use, or "
       "takes more time or memory than there is"},
      {"2",
       "the command line or a settings file is wrong, or names what does "
       "not exist"},
      {"3", "nothing beat the root; or, of eval and verify, a kernel failed"},
      {"130", "interrupted; `coppice resume` goes on"}};
}

std::string Usage(const Verb& verb) {
  std::string usage = "coppice " + std::string(verb.name);
  if (!verb.actions.empty()) return usage + " ACTION ...";
  if (!verb.arguments.empty()) usage += " " + std::string(verb.arguments);
  return usage + " [options]";
}

std::string SummaryWithActions(const Verb& verb) {
  const std::string actions = Joined(
      verb.actions, ", ", [](const Verb& one) { return LastWord(one.name); });
  return std::string(verb.summary) + (actions.empty() ? "" : ": " + actions);
}

std::vector<std::string> ExampleLines(const Verb& verb, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream examples{std::string(verb.examples)};
  for (std::string line; std::getline(examples, line);) {
    for (std::string& part : WrapCommand(line, width)) {
      lines.push_back(std::move(part));
    }
  }
  for (const Verb& action : verb.actions) {
    for (std::string& line : ExampleLines(action, width)) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string OverallHelp(std::size_t width) {
  std::string text =
      AsLines(Wrap("coppice grows fast kernels: agents propose, an evaluator "
                   "measures, and a tree in SQLite remembers every attempt.",
                   width)) +
      "\nusage: coppice VERB ...     `coppice VERB --help` says more\n";
  for (const VerbGroup& group : VerbGroups()) {
    std::vector<HelpEntry> entries;
    for (const Verb& verb : group.verbs) {
      std::string left(verb.name);
      if (!verb.arguments.empty()) left += " " + std::string(verb.arguments);
      if (!verb.actions.empty()) left += " ACTION";
      entries.push_back({std::move(left), SummaryWithActions(verb)});
    }
    text += Headed(std::string(group.title), entries, width);
  }
  return text + Headed("exit codes", ExitCodes(), width);
}

std::string VerbHelp(const Verb& verb, std::size_t width) {
  std::string text =
      AsLines(ExampleLines(verb, width)) + "\n" +
      AsLines(Wrap("usage: " + Usage(verb) + ": " + std::string(verb.summary),
                   width));
  if (verb.actions.empty()) {
    for (const HelpSection& section : OptionSections(verb)) {
      text += Headed(section.title, section.entries, width);
    }
    return text;
  }
  std::vector<HelpEntry> entries;
  for (const Verb& action : verb.actions) {
    std::string left(LastWord(action.name));
    if (!action.arguments.empty()) left += " " + std::string(action.arguments);
    entries.push_back({std::move(left), std::string(action.summary)});
  }
  return text + Headed("actions", entries, width) + "\n`coppice " +
         std::string(verb.name) + " ACTION --help` says more\n";
}

}  // namespace coppice::cli
