#include "engine/cli/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "config/keys.h"
#include "engine/cli/cli_fixture.h"
#include "engine/cli/help.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class DispatchTest : public ::testing::Test, protected Rehearsal {};

TEST_F(DispatchTest, BareIsAConciseHelp) {
  const Said said = SayBare({});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.err, "");
  for (const VerbGroup& group : VerbGroups()) {
    EXPECT_THAT(said.out, HasSubstr("\n" + std::string(group.title) + "\n"));
    for (const Verb& verb : group.verbs) {
      EXPECT_THAT(said.out, HasSubstr("\n  " + std::string(verb.name)));
    }
  }
  EXPECT_THAT(said.out, HasSubstr("exit codes"));
}

// All verbs and their actions.
std::vector<const Verb*> All() {
  std::vector<const Verb*> all;
  for (const Verb* verb : Verbs()) {
    all.push_back(verb);
    for (const Verb& action : verb->actions) all.push_back(&action);
  }
  return all;
}

std::vector<std::string> WordsOf(const Verb& verb) {
  std::istringstream words{std::string(verb.name)};
  return {std::istream_iterator<std::string>(words), {}};
}

TEST_F(DispatchTest, EveryVerbHasHelpThatStartsWithExamples) {
  for (const Verb* verb : All()) {
    const std::string name(verb->name);
    for (const char* ask : {"--help", "-h", "help"}) {
      std::vector<std::string> words = WordsOf(*verb);
      words.insert(*ask == '-' ? words.end() : words.begin(), ask);
      const Said said = SayBare(words);
      EXPECT_EQ(said.exit, Exit::kDone) << name;
      EXPECT_THAT(said.out, HasSubstr("  coppice " + name));
      EXPECT_THAT(said.out, StartsWith("  "));
      EXPECT_THAT(said.out, HasSubstr("\nusage: coppice " + name));
      EXPECT_EQ(said.err, "");
    }
  }
}

TEST_F(DispatchTest, HelpNamesEveryOptionOfItsVerb) {
  for (const Verb* verb : All()) {
    std::vector<std::string> words = WordsOf(*verb);
    words.emplace_back("--help");
    const std::string help = SayBare(words).out;
    for (const Option& option : verb->options) {
      EXPECT_THAT(help, HasSubstr("\n  --" + std::string(option.name)));
    }
    for (const std::string_view name : verb->settings) {
      EXPECT_THAT(help, HasSubstr("\n  --" + config::OptionName(name)));
    }
    for (const Verb& action : verb->actions) {
      EXPECT_THAT(help, HasSubstr("\n  " + std::string(LastWord(action.name))));
    }
  }
}

TEST_F(DispatchTest, HelpFitsEightyColumnsAndNarrowTerminals) {
  const auto widest = [](const std::string& text) {
    std::istringstream lines(text);
    std::size_t most = 0;
    for (std::string line; std::getline(lines, line);) {
      most = std::max(most, line.size());
    }
    return most;
  };
  EXPECT_LE(widest(OverallHelp(80)), 80u);
  EXPECT_LE(widest(OverallHelp(60)), 60u);
  for (const Verb* verb : All()) {
    EXPECT_LE(widest(VerbHelp(*verb, 80)), 80u) << verb->name;
    EXPECT_LE(widest(VerbHelp(*verb, 60)), 60u) << verb->name;
  }
}

TEST_F(DispatchTest, WhatMattersMostIsFirstAndAtMostFive) {
  const std::string help = SayBare({"run", "--help"}).out;
  const std::size_t most_used = help.find("\nmost used\n  --budget N");
  ASSERT_NE(most_used, help.npos);
  EXPECT_LT(most_used, help.find("\noptions\n"));
  EXPECT_LT(help.find("\nmodels\n"), help.find("\nmoney\n"));
  for (const Verb* verb : All()) {
    EXPECT_LE(verb->first.size(), 5u) << verb->name;
    if (verb->first.empty()) continue;
    const HelpSection first = OptionSections(*verb).front();
    for (std::size_t i = 0; i < verb->first.size(); ++i) {
      EXPECT_THAT(first.entries[i].left,
                  StartsWith("--" + std::string(verb->first[i])))
          << verb->name;
    }
  }
}

TEST_F(DispatchTest, ACampaignTakesEverySetting) {
  for (const char* verb : {"run", "bench"}) {
    EXPECT_EQ(FindVerb(verb)->settings, config::AllNames());
  }
  EXPECT_EQ(FindAction(*FindVerb("config"), "show")->settings,
            config::AllNames());
}

// What was a verb is found where it is now, with a hint.
TEST_F(DispatchTest, OldVerbsAreNewOnes) {
  for (const OldVerb& old : OldVerbs()) {
    const std::string name(old.name);
    if (FindVerb(name) != nullptr) continue;  // With actions of its own.
    const Verb* verb = FindVerb(old.now.front());
    ASSERT_NE(verb, nullptr) << name;
    const Said said = SayBare({name, "--help"});
    EXPECT_EQ(said.exit, Exit::kDone);
    EXPECT_EQ(said.err, "coppice " + name + ": now `coppice " +
                            old.now.front() + " " + old.now.back() + "`\n");
  }
  const Said old = Say({"doctor"});
  EXPECT_EQ(old.err.find("coppice doctor: now `coppice db doctor`\n"), 0u);
  EXPECT_EQ(old.out, Say({"db", "doctor"}).out);
  EXPECT_THAT(Say({"spend", "--by", "x"}).err,
              HasSubstr("coppice report spend: --by x: expected model, role"));
  EXPECT_EQ(SayBare({"sanitize", "row_sum", "--expert"}).err,
            "coppice sanitize: now `coppice eval --sanitize`\n"
            "coppice eval: --sanitize: does not go with --expert\n");
}

TEST_F(DispatchTest, AnActionFollowsItsVerb) {
  EXPECT_EQ(SayBare({"db"}).err,
            "coppice db: missing ACTION; there are: db doctor, db backup, db "
            "compact, db fingerprint, db merge\n");
  const Said said = SayBare({"db", "docter"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err,
            "coppice db: unknown 'docter'; did you mean 'db doctor'?\n");
  EXPECT_EQ(SayBare({"db", "--json", "doctor"}).exit, Exit::kUsage);
}

TEST_F(DispatchTest, HelpNeedsNoSoundSettings) {
  surroundings.environment["COPPICE_SEED"] = "not a number";
  EXPECT_EQ(SayBare({"status", "--help"}).exit, Exit::kDone);
  const Said said = Say({"status"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, StartsWith("coppice status: COPPICE_SEED: expected"));
}

TEST_F(DispatchTest, ATypoIsAnsweredWithTheNearestVerb) {
  const Said said = SayBare({"statsu"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err,
            "coppice: unknown verb 'statsu'; did you mean 'status'?\n");
  EXPECT_EQ(SayBare({"docter"}).err,
            "coppice: unknown verb 'docter'; did you mean 'db doctor'?\n");
  EXPECT_EQ(SayBare({"policies"}).err,
            "coppice: unknown verb 'policies'; did you mean 'config "
            "policies'?\n");
  EXPECT_EQ(SayBare({"leaderboard"}).err,
            "coppice: unknown verb 'leaderboard'; did you mean 'report "
            "leaderboard'?\n");
  EXPECT_EQ(SayBare({"traces"}).err,
            "coppice: unknown verb 'traces'; did you mean 'export traces' or "
            "'import traces'?\n");
  EXPECT_EQ(SayBare({"frobnicate"}).err,
            "coppice: unknown verb 'frobnicate'; `coppice --help` lists "
            "them\n");
}

TEST_F(DispatchTest, OptionsFollowTheVerb) {
  const Said said = SayBare({"--json", "status"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err,
            "coppice: '--json' before a verb; options follow it: coppice VERB "
            "--json\n");
  EXPECT_EQ(SayBare({"--verison"}).err,
            "coppice: unknown option '--verison'; did you mean "
            "'--version'?\n");
}

TEST_F(DispatchTest, AFileIsNoQuestion) {
  const Said said = SayBare({"sql", "friday.db"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err,
            "coppice sql: 'friday.db' is no SQL; a file is named by --db "
            "friday.db\n");
}

TEST_F(DispatchTest, AManualIsAskedForInEitherOrder) {
  const Said said = SayBare({"help", "run", "--man"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out, ::testing::HasSubstr(".TH "));
  EXPECT_EQ(said.out, SayBare({"help", "--man", "run"}).out);
}

TEST_F(DispatchTest, VersionIsOneLine) {
  for (const char* ask : {"--version", "-V", "version"}) {
    const Said said = SayBare({ask});
    EXPECT_EQ(said.exit, Exit::kDone);
    EXPECT_THAT(said.out,
                ::testing::MatchesRegex("coppice [0-9]+[.][0-9]+[.][0-9]+"
                                        "( [(][0-9a-f]{7}(-dirty)?[)])?\n"));
  }
}

TEST_F(DispatchTest, AnUnwritableOutputIsAFailure) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  Streams streams{in, out, err};
  EXPECT_EQ(Dispatch({"--version"}, surroundings, streams), Exit::kFailure);
  EXPECT_EQ(err.str(), "coppice: standard output: cannot be written\n");
}

}  // namespace
}  // namespace coppice::cli
