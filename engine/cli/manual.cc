#include "engine/cli/manual.h"

#include <map>
#include <string_view>
#include <vector>

#include "engine/cli/help.h"
#include "engine/cli/text_wrap.h"
#include "engine/cli/verbs.h"
#include "engine/process/version.h"
#include "store/records/joined.h"

namespace coppice::cli {
namespace {

constexpr std::size_t kExampleWidth = 72;
constexpr std::size_t kSourceWidth = 66;

// Escapes a text: no macro, no escape, and dashes that can be searched and
// copied.
std::string Escape(std::string_view text) {
  static const std::map<char, std::string_view> kEscapes = {
      {'\\', "\\e"},   {'-', "\\-"},   {'`', "\\(ga"},
      {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string roff = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    const auto escape = kEscapes.find(c);
    if (escape == kEscapes.end()) {
      roff += c;
    } else {
      roff += escape->second;
    }
  }
  return roff;
}

// Fills a text into lines; those of the page are short.
std::string Filled(std::string_view text) {
  std::string lines;
  for (const std::string& line : Wrap(text, kSourceWidth)) {
    lines += Escape(line) + "\n";
  }
  return lines;
}

// One argument of a macro.
std::string Quoted(std::string_view text) {
  std::string argument = "\"";
  for (const char c : Escape(text)) {
    argument += c;
    if (c == '"') argument += '"';
  }
  return argument + "\"";
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::string PageOf(std::string_view verb) {
  return "coppice-" + std::string(verb);
}

std::string Heading(const std::string& page) {
  const auto word = [](std::string_view text) {
    return " \"" + std::string(text) + "\"";
  };
  return ".TH " + Quoted(Upper(page)) + " 1" + word(engine::ReleaseDate()) +
         word("coppice " + std::string(engine::Release())) +
         word("User Commands") + "\n";
}

// "coppice-run - search for faster kernels", as apropos(1) looks for it.
std::string NameSection(const std::string& page, std::string_view summary) {
  return ".SH NAME\n" + Escape(page) + " \\- " + Escape(summary) + "\n";
}

std::string Section(std::string_view title) {
  return ".SH " + Quoted(Upper(title)) + "\n";
}

std::string Subsection(std::string_view title) {
  return ".SS " + Quoted(title) + "\n";
}

std::string Prose(std::string_view text) { return ".PP\n" + Filled(text); }

// "--budget N": the first word bold, the rest in italics.
std::string Term(std::string_view left) {
  const std::size_t space = left.find(' ');
  if (space == left.npos || left.starts_with("-h, ")) {
    return ".B " + Quoted(left) + "\n";
  }
  return ".BI " + Quoted(std::string(left.substr(0, space)) + " ") + " " +
         Quoted(left.substr(space + 1)) + "\n";
}

std::string Entries(const std::vector<HelpEntry>& entries) {
  std::string text;
  for (const HelpEntry& entry : entries) {
    text += ".TP\n" + Term(entry.left) + Filled(entry.right);
  }
  return text;
}

std::string SynopsisLine(const Verb& verb) {
  std::string text = ".B " + Quoted("coppice " + std::string(verb.name)) + "\n";
  if (!verb.arguments.empty()) {
    text += ".I " + Quoted(verb.arguments) + "\n";
  }
  return text + "[options]\n";
}

std::string Examples(const Verb& verb) {
  std::string text = ".SH EXAMPLES\n.EX\n";
  for (const std::string& line : ExampleLines(verb, kExampleWidth)) {
    text += Escape(line) + "\n";
  }
  return text + ".EE\n";
}

std::string Options(const Verb& verb) {
  std::string text;
  const std::vector<HelpSection> sections = OptionSections(verb);
  for (const HelpSection& section : sections) {
    if (sections.size() > 1) text += Subsection(section.title);
    text += Entries(section.entries);
  }
  return text;
}

// A row of the table of settings.
std::string SettingEntry(const config::Key& key) {
  return ".TP\n" +
         Term(std::string(key.name) + " " + std::string(key.placeholder)) +
         Filled(AboutSetting(key) + ".") +
         Filled("--" + config::OptionName(key.name) + ", " +
                config::EnvironmentName(key.name));
}

std::string Settings() {
  std::string text =
      Section("settings") +
      Filled(
          "Each of them is a line of a configuration file, an environment "
          "variable, and an option of the verbs that it concerns. Later ones "
          "win: defaults, the user's file, the file of the working folder, "
          "variables, options. `coppice config show` says which are in force "
          "and where they come from.");
  std::string_view title;
  for (const config::Key& key : config::Keys()) {
    if (const auto next = config::TitleOf(key.group); next != title) {
      title = next;
      text += Subsection(title);
    }
    text += SettingEntry(key);
  }
  return text;
}

std::string SeeAlso(const std::vector<std::string>& pages) {
  return ".SH SEE ALSO\n" +
         Joined(pages, ",\n",
                [](const std::string& page) {
                  return ".BR " + Escape(page) + " (1)";
                }) +
         "\n";
}

}  // namespace

std::string OverallPage() {
  std::string text =
      Heading("coppice") +
      NameSection("coppice", "search for faster kernels and remember it all") +
      ".SH SYNOPSIS\n.B coppice\n.I VERB\n.RI [ argument ...]\n[options]\n"
      ".SH DESCRIPTION\n" +
      Filled(
          "coppice grows fast kernels. Agents propose code, an evaluator "
          "that shares nothing with the code it judges compiles, checks and "
          "times it, and a tree in SQLite remembers every attempt. A "
          "campaign can be killed at any instant and resumed.") +
      Prose(
          "Each verb has a page of its own, and `coppice VERB --help` says "
          "the same in short.") +
      Section("verbs");
  for (const VerbGroup& group : VerbGroups()) {
    text += Subsection(group.title);
    for (const Verb& verb : group.verbs) {
      text += ".TP\n.BR " + Escape(PageOf(verb.name)) + " (1)\n" +
              Filled(SummaryWithActions(verb));
    }
  }
  text += Settings();
  text += Section("environment") +
          Filled("Beside COPPICE_ variables for settings:") +
          Entries({{"COPPICE_CONFIG",
                    "a file of settings to read instead of "
                    "the two"},
                   {"OPENAI_API_KEY, ANTHROPIC_API_KEY",
                    "keys of providers; openai_api_key_env and "
                    "anthropic_api_key_env name other variables"},
                   {"XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME",
                    "where the user's settings and the cache are, instead of "
                    "~/.config and ~/.cache"},
                   {"NO_COLOR", "if it is set, output has no colours"}});
  text += Section("files") +
          Entries({{"~/.config/coppice/coppice.conf",
                    "the user's settings: a line each, as in budget = 60; # "
                    "begins a remark"},
                   {"./coppice.conf", "settings of the working folder"},
                   {"coppice.db",
                    "the database, unless db names another; a "
                    "SQLite file that any program can read"},
                   {"~/.cache/coppice", "compiled kernels"}});
  text += Section("exit status") + Entries(ExitCodes());
  text += ".SH EXAMPLES\n.EX\n";
  for (const char* line :
       {"coppice run gemm_square --budget 60   # Ctrl-C stops, nothing is lost",
        "coppice resume", "coppice best",
        "coppice export best --output fast.cc",
        "coppice sql \"SELECT node, speedup, technique FROM leaderboard\""}) {
    text += Escape(line) + "\n";
  }
  text += ".EE\n";
  std::vector<std::string> others;
  for (const Verb* verb : Verbs()) others.push_back(PageOf(verb->name));
  return text + SeeAlso(others);
}

std::string VerbPage(const Verb& verb) {
  const std::string page = PageOf(verb.name);
  std::string text =
      Heading(page) + NameSection(page, verb.summary) + ".SH SYNOPSIS\n";
  if (verb.actions.empty()) {
    text += SynopsisLine(verb) + ".SH OPTIONS\n" + Options(verb);
    return text + Examples(verb) + SeeAlso({"coppice"});
  }
  text += Joined(verb.actions, ".br\n", SynopsisLine);
  for (const Verb& action : verb.actions) {
    text += Section(action.name) + Filled(std::string(action.summary) + ".");
    for (const HelpSection& section : OptionSections(action)) {
      text += Entries(section.entries);
    }
  }
  return text + Examples(verb) + SeeAlso({"coppice"});
}

}  // namespace coppice::cli
