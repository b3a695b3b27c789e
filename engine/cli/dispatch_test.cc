#include "engine/cli/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "engine/cli/rehearsal.h"
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
  for (const Verb& verb : Verbs()) {
    EXPECT_THAT(said.out, HasSubstr("\n  " + std::string(verb.name)));
  }
  EXPECT_THAT(said.out, HasSubstr("exit codes"));
}

TEST_F(DispatchTest, EveryVerbHasHelpThatStartsWithExamples) {
  for (const Verb& verb : Verbs()) {
    const std::string name(verb.name);
    for (const auto& words : std::vector<std::vector<std::string>>{
             {name, "--help"}, {name, "-h"}, {"help", name}}) {
      const Said said = SayBare(words);
      EXPECT_EQ(said.exit, Exit::kDone) << name;
      EXPECT_THAT(said.out, StartsWith("  coppice " + name));
      EXPECT_THAT(said.out, HasSubstr("\nusage: coppice " + name));
      EXPECT_EQ(said.err, "");
    }
  }
}

TEST_F(DispatchTest, HelpNamesEveryOptionOfItsVerb) {
  for (const Verb& verb : Verbs()) {
    const std::string help = SayBare({std::string(verb.name), "--help"}).out;
    for (const Option& option : verb.options) {
      EXPECT_THAT(help, HasSubstr("--" + std::string(option.name)))
          << verb.name;
    }
  }
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
}

TEST_F(DispatchTest, VersionIsOneLine) {
  EXPECT_THAT(SayBare({"--version"}).out,
              ::testing::MatchesRegex("coppice [0-9.]+\n"));
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
