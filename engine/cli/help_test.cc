#include "engine/cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/keys.h"
#include "engine/cli/options.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Verb Tiny() {
  return {.name = "tiny",
          .summary = "what it does",
          .arguments = "NODE",
          .examples = "  coppice tiny 1\n",
          .options = {{"json", Takes::kNothing, "", "as JSON"},
                      {"on", Takes::kText, "land|sea", "where"}}};
}

TEST(HelpTest, AVerbWithFewOptionsHasOneList) {
  EXPECT_EQ(VerbHelp(Tiny(), 80),
            "  coppice tiny 1\n"
            "\n"
            "usage: coppice tiny NODE [options]: what it does\n"
            "\n"
            "options\n"
            "  --json         as JSON\n"
            "  --on land|sea  where\n"
            "  --config FILE  settings, instead of coppice.conf\n"
            "  -h, --help     this text\n");
}

// Beyond 28 columns an option stands on a line of its own, and does not push
// what is said of others to the right.
TEST(HelpTest, AWideOptionHasItsOwnLine) {
  Verb verb = Tiny();
  verb.options.push_back(
      {"kind", Takes::kText, "attempts|calls|dollars", "of what"});
  EXPECT_THAT(VerbHelp(verb, 80), HasSubstr("  --on land|sea  where\n"
                                            "  --kind attempts|calls|dollars\n"
                                            "                 of what\n"));
}

TEST(HelpTest, ValuesThatAreTooWideGoOnBehindABar) {
  Verb verb = Tiny();
  verb.options = {{"kind", Takes::kText,
                   "attempts|calls|tokens|dollars|evaluator_seconds",
                   "of what"}};
  EXPECT_THAT(VerbHelp(verb, 40),
              HasSubstr("\n  --kind attempts|calls|tokens|dollars|\n"
                        "         evaluator_seconds\n"
                        "                 of what\n"));
}

TEST(HelpTest, WhatIsSaidIsWrappedBelowItself) {
  Verb verb = Tiny();
  verb.options = {{"json", Takes::kNothing, "",
                   "as JSON, with all the samples that there are of it"}};
  EXPECT_THAT(VerbHelp(verb, 40),
              HasSubstr("\n  --json         as JSON, with all the\n"
                        "                 samples that there are\n"
                        "                 of it\n"));
}

// Nine of them, with "db" among its own.
TEST(HelpTest, ManyOptionsAreInSections) {
  Verb verb = Tiny();
  verb.settings = {"db",         "seed",   "policy", "budget", "window_history",
                   "plan_model", "threads"};
  verb.first = {"seed", "json"};
  std::vector<std::string> titles;
  for (const HelpSection& section : OptionSections(verb)) {
    titles.push_back(section.title);
    EXPECT_FALSE(section.entries.empty()) << section.title;
  }
  EXPECT_EQ(titles.front(), "most used");
  EXPECT_EQ(titles.back(), "always");
  EXPECT_EQ(std::set(titles.begin(), titles.end()).size(), titles.size());
  const std::vector<HelpSection> sections = OptionSections(verb);
  ASSERT_EQ(sections[0].entries.size(), 2u);
  EXPECT_THAT(sections[0].entries[0].left, StartsWith("--seed"));
  EXPECT_EQ(sections[0].entries[1].left, "--json");
  // Each once.
  std::multiset<std::string> all;
  for (const HelpSection& section : sections) {
    for (const HelpEntry& entry : section.entries) all.insert(entry.left);
  }
  EXPECT_EQ(all.size(), 11u);
  EXPECT_EQ(all.count("--json"), 1u);
  EXPECT_EQ(all.count("--config FILE"), 1u);
  EXPECT_THAT(VerbHelp(verb, 80), HasSubstr("\noptions\n  --on land|sea"));
}

TEST(HelpTest, ASettingIsToldWithItsDefault) {
  const auto about = [](const char* name) {
    return AboutSetting(*config::FindKey(name));
  };
  EXPECT_THAT(about("budget"), EndsWith(" (30)"));
  EXPECT_THAT(about("agents"), EndsWith(" (team)"));
  EXPECT_THAT(about("plan_temperature"), EndsWith(" (0.8)"));
  // How many there are is the machine's to say.
  EXPECT_THAT(about("threads"), Not(HasSubstr("(1)")));
}

TEST(HelpTest, UsageIsWhatFollowsTheVerb) {
  EXPECT_EQ(Usage(Tiny()), "coppice tiny NODE [options]");
  Verb bare = Tiny();
  bare.arguments = "";
  EXPECT_EQ(Usage(bare), "coppice tiny [options]");
  EXPECT_EQ(Usage(*FindVerb("db")), "coppice db ACTION ...");
  EXPECT_EQ(Usage(*FindAction(*FindVerb("db"), "backup")),
            "coppice db backup FILE [options]");
}

TEST(HelpTest, AVerbOfSeveralActionsShowsTheExamplesOfAll) {
  Verb verb = {.name = "grow",
               .summary = "make it larger",
               .actions = {{.name = "grow up",
                            .summary = "higher",
                            .arguments = "NODE",
                            .examples = "  coppice grow up 1\n"},
                           {.name = "grow out",
                            .summary = "wider",
                            .examples = "  coppice grow out\n"}}};
  EXPECT_EQ(SummaryWithActions(verb), "make it larger: up, out");
  EXPECT_THAT(ExampleLines(verb, 80),
              ElementsAre("  coppice grow up 1", "  coppice grow out"));
  EXPECT_EQ(VerbHelp(verb, 80),
            "  coppice grow up 1\n"
            "  coppice grow out\n"
            "\n"
            "usage: coppice grow ACTION ...: make it larger\n"
            "\n"
            "actions\n"
            "  up NODE  higher\n"
            "  out      wider\n"
            "\n"
            "`coppice grow ACTION --help` says more\n");
}

TEST(HelpTest, ExitCodesAreThoseOfThePrograms) {
  std::set<std::string> codes;
  for (const HelpEntry& entry : ExitCodes()) {
    EXPECT_TRUE(codes.insert(entry.left).second) << entry.left;
    EXPECT_NE(entry.right, "");
  }
  for (const Exit exit : {Exit::kDone, Exit::kFailure, Exit::kUsage,
                          Exit::kNoImprovement, Exit::kInterrupted}) {
    EXPECT_TRUE(codes.contains(std::to_string(static_cast<int>(exit))));
  }
}

// All verbs that do something.
std::vector<Verb> Doing() {
  std::vector<Verb> all;
  for (const Verb* verb : Verbs()) {
    if (verb->actions.empty()) all.push_back(*verb);
    all.insert(all.end(), verb->actions.begin(), verb->actions.end());
  }
  return all;
}

TEST(VerbsTest, AVerbDoesSomethingItselfOrHasActionsThatDo) {
  std::set<std::string_view> names;
  for (const Verb* verb : Verbs()) {
    EXPECT_TRUE(names.insert(verb->name).second) << verb->name;
    EXPECT_EQ(verb->run == nullptr, !verb->actions.empty()) << verb->name;
    for (const Verb& action : verb->actions) {
      EXPECT_TRUE(names.insert(action.name).second) << action.name;
      EXPECT_THAT(std::string(action.name),
                  StartsWith(std::string(verb->name) + " "));
      EXPECT_TRUE(action.actions.empty()) << action.name;
      EXPECT_NE(action.run, nullptr) << action.name;
    }
  }
}

TEST(VerbsTest, OptionsSayWhatTheyTakeAndNoNameIsTwoThings) {
  for (const Verb& verb : Doing()) {
    std::set<std::string> names = {"help", "config"};
    for (const Option& option : verb.options) {
      EXPECT_TRUE(names.insert(std::string(option.name)).second)
          << verb.name << " --" << option.name;
      EXPECT_EQ(option.takes == Takes::kNothing, option.placeholder.empty())
          << verb.name << " --" << option.name;
      EXPECT_FALSE(option.help.empty()) << verb.name << " --" << option.name;
    }
    for (const std::string_view key : verb.settings) {
      ASSERT_NE(config::FindKey(key), nullptr) << verb.name << " " << key;
      // An option of its own may stand in for a setting, as compare's --budget.
      names.insert(config::OptionName(key));
    }
    for (const std::string_view first : verb.first) {
      EXPECT_TRUE(names.contains(std::string(first)))
          << verb.name << " --" << first;
    }
  }
}

// The words of a line as a shell has them, up to a remark, a pipe or a file.
std::vector<std::string> ShellWords(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool is_word = false;
  char quote = '\0';
  for (const char c : line + " ") {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      is_word = true;
    } else if (c != ' ') {
      word += c;
      is_word = true;
    } else if (is_word) {
      if (word == "#" || word == "|" || word == ">" || word == "<") break;
      words.push_back(std::exchange(word, ""));
      is_word = false;
    }
  }
  return words;
}

TEST(VerbsTest, EachExampleIsACommandThatIsUnderstood) {
  int count = 0;
  for (const Verb& verb : Doing()) {
    std::istringstream lines{std::string(verb.examples)};
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  source <(")) continue;
      std::vector<std::string> words = ShellWords(line);
      const auto own =
          static_cast<std::size_t>(std::ranges::count(verb.name, ' ')) + 2;
      ASSERT_GE(words.size(), own) << line;
      EXPECT_THAT(line, StartsWith("  coppice "));
      // Some show what goes with it: `coppice show` below best.
      if (words[1] != verb.name.substr(0, verb.name.find(' '))) continue;
      if (own == 3 && words[2] != LastWord(verb.name)) continue;
      words.erase(words.begin(), words.begin() + static_cast<long>(own));
      const auto parsed = ParseWords(verb, words);
      EXPECT_TRUE(parsed) << line << ": " << parsed.error().what;
      ++count;
    }
  }
  EXPECT_GE(count, 80);
}

TEST(VerbsTest, EachVerbThatDoesSomethingHasAnExample) {
  for (const Verb& verb : Doing()) {
    EXPECT_THAT(std::string(verb.examples),
                HasSubstr("coppice " + std::string(verb.name)))
        << verb.name;
  }
}

TEST(VerbsTest, NamesAreFoundAndOthersAreNot) {
  EXPECT_EQ(FindVerb("show")->name, "show");
  for (const char* name : {"", "sho", "shows", "db doctor", "SHOW"}) {
    EXPECT_EQ(FindVerb(name), nullptr) << name;
  }
  EXPECT_EQ(FindAction(*FindVerb("db"), "doctor")->name, "db doctor");
  for (const char* name : {"", "db", "doc", "db doctor"}) {
    EXPECT_EQ(FindAction(*FindVerb("db"), name), nullptr) << name;
  }
  EXPECT_EQ(FindAction(*FindVerb("show"), "show"), nullptr);
}

TEST(VerbsTest, AnArgumentIsTheDatabaseWhereItIsTheOnlyFile) {
  EXPECT_TRUE(NamesDatabase(*FindVerb("replay")));
  EXPECT_TRUE(NamesDatabase(*FindVerb("verify")));
  EXPECT_TRUE(NamesDatabase(*FindVerb("compare")));
  EXPECT_FALSE(NamesDatabase(*FindVerb("show")));
  EXPECT_FALSE(NamesDatabase(*FindVerb("serve")));
  EXPECT_EQ(LastWord("db doctor"), "doctor");
  EXPECT_EQ(LastWord("status"), "status");
}

// `spend` was a verb, and is one again, with actions of its own.
TEST(VerbsTest, WhatWasAVerbOnceLeadsToWhatItIsNow) {
  for (const OldVerb& old : OldVerbs()) {
    const Verb* verb = FindVerb(old.now.front());
    ASSERT_NE(verb, nullptr) << old.name;
    const bool is_action = FindAction(*verb, old.now.back()) != nullptr;
    EXPECT_TRUE(is_action || old.now.back().starts_with("--")) << old.name;
  }
  ASSERT_NE(FindVerb("spend"), nullptr);
  EXPECT_NE(FindOldVerb({"spend"}), nullptr);
  EXPECT_NE(FindOldVerb({"spend", "--by", "day"}), nullptr);
  EXPECT_EQ(FindOldVerb({"spend", "settle"}), nullptr);
  EXPECT_EQ(FindOldVerb({"spend", "--help"}), nullptr);
  EXPECT_EQ(FindOldVerb({"show"}), nullptr);
  EXPECT_NE(FindOldVerb({"doctor", "--help"}), nullptr);
}

}  // namespace
}  // namespace coppice::cli
