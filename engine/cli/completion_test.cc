#include "engine/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// x.db holds campaign "a", of four nodes.
class CompletionTest : public ::testing::Test, protected Rehearsal {
 protected:
  std::vector<std::string> After(const std::vector<std::string>& words) const {
    std::vector<std::string> found;
    for (const Completion& each : Complete(words, surroundings)) {
      found.push_back(each.word);
    }
    return found;
  }
};

TEST_F(CompletionTest, VerbsComeFirst) {
  EXPECT_THAT(After({"sh"}), ElementsAre("show"));
  EXPECT_THAT(After({"ver"}), ElementsAre("verify", "version"));
  EXPECT_THAT(After({"doc"}), IsEmpty()) << "an old name";
  EXPECT_THAT(After({"--v"}), ElementsAre("--version"));
  EXPECT_THAT(After({"help", "sh"}), ElementsAre("show"));
  EXPECT_EQ(Complete({"sho"}, surroundings).front().about,
            "everything about a node: a number, root or best");
}

TEST_F(CompletionTest, ActionsFollowTheirVerb) {
  EXPECT_THAT(After({"db", ""}), ElementsAre("doctor", "backup", "compact",
                                             "fingerprint", "merge"));
  EXPECT_THAT(After({"help", "db", "d"}), ElementsAre("doctor"));
  EXPECT_THAT(After({"db", "doctor", "--j"}), ElementsAre("--json"));
  EXPECT_THAT(After({"doctor", "--j"}), ElementsAre("--json"));
  EXPECT_THAT(After({"db", "--j"}), IsEmpty());
}

TEST_F(CompletionTest, OptionsAreThoseOfTheVerbThatAreNotThereYet) {
  EXPECT_THAT(After({"run", "x", "--budget"}),
              ElementsAre("--budget", "--budget-evaluator-s", "--budget-s"));
  EXPECT_THAT(After({"run", "--budget", "9", "x", "--budget"}),
              ElementsAre("--budget-evaluator-s", "--budget-s"));
  EXPECT_THAT(After({"status", "--budget"}), IsEmpty());
  EXPECT_THAT(After({"run", "--", "--budget"}), IsEmpty());
  EXPECT_THAT(After({"status", ""}), Contains("--json"));
}

TEST_F(CompletionTest, PlaceholdersSayWhatAValueMayBe) {
  EXPECT_THAT(After({"run", "--answers", ""}), ElementsAre("auto", "text"));
  EXPECT_THAT(After({"run", "--answers=t"}), ElementsAre("--answers=text"));
  EXPECT_THAT(After({"run", "--preset", "s"}),
              ElementsAre("stark", "search", "sampling"));
  EXPECT_THAT(After({"compare", "--policies", "stark,puc"}),
              ElementsAre("stark,puct"));
  EXPECT_THAT(After({"completion", "f"}), ElementsAre("fish"));
  EXPECT_THAT(After({"run", "--budget", ""}), IsEmpty());
  EXPECT_THAT(After({"run", "--code-model", "cat"}), ElementsAre("catalogue"));
}

TEST_F(CompletionTest, TasksAreLandscapesOrOfATraceSet) {
  EXPECT_THAT(After({"run", "sim:hill"}),
              AllOf(Contains("sim:hill/1"), Not(Contains("sim:basic"))));
  EXPECT_THAT(After({"run", "sim:basic", "sim:ba"}), ElementsAre("sim:basic"));
  const std::string set = COPPICE_SOURCE_DIR "/tests/trace_set";
  EXPECT_THAT(After({"eval", set}), ElementsAre(set + ":"));
  EXPECT_THAT(After({"eval", set + ":ge"}), ElementsAre(set + ":gemm_k8"));
}

TEST_F(CompletionTest, FilesAreListedAsTheyAreTyped) {
  const fs::path folder = File("folder");
  fs::create_directories(folder / "below");
  std::ofstream(folder / "best.cc") << "";
  std::ofstream(folder / ".best") << "";
  const std::string typed = folder.string() + "/b";
  EXPECT_THAT(After({"eval", "row_sum", typed}),
              ElementsAre(typed + "elow/", typed + "est.cc"));
  EXPECT_THAT(After({"report", "merge", "--output", typed}),
              ElementsAre(typed + "elow/"));
  EXPECT_THAT(After({"import", "kernels", folder.string() + "/."}),
              ElementsAre(folder.string() + "/.best"));
  surroundings.environment["HOME"] = folder.string();
  EXPECT_THAT(After({"status", "--db=~/best"}), ElementsAre("--db=~/best.cc"));
}

TEST_F(CompletionTest, CampaignsAndNodesAreThoseOfTheDatabase) {
  EXPECT_THAT(After({"show", "--db", Path(), "--campaign", ""}),
              ElementsAre("a"));
  EXPECT_THAT(After({"replay", Path(), "--campaign", ""}), ElementsAre("a"));
  EXPECT_THAT(After({"show", "--db", Path(), ""}),
              ElementsAre("best", "root", "0", "1", "2", "3"));
  EXPECT_THAT(After({"diff", "1", "--db", Path(), "r"}), ElementsAre("root"));
  surroundings.environment["COPPICE_DB"] = Path();
  EXPECT_THAT(After({"resume", ""}), ElementsAre("a"));
}

TEST_F(CompletionTest, WhatMayBeATaskOrACampaignOffersBoth) {
  const std::string db = "--db=" + Path();
  EXPECT_THAT(After({"submit", db, ""}), Contains("a"));
  EXPECT_THAT(After({"submit", db, "sim:h"}), Contains("sim:hill/1"));
  EXPECT_THAT(After({"watch", db, ""}), ElementsAre("a"));
}

TEST_F(CompletionTest, WhatIsWrongGivesNothing) {
  EXPECT_THAT(After({}), IsEmpty());
  EXPECT_THAT(After({"nosuch", ""}), IsEmpty());
  EXPECT_THAT(After({"db", "nosuch", ""}), IsEmpty());
  EXPECT_THAT(After({"show", "--db", "nosuch.db", "--campaign", ""}),
              IsEmpty());
  EXPECT_THAT(After({"run", "nosuch:x"}), IsEmpty());
  surroundings.environment["COPPICE_SEED"] = "no number";
  EXPECT_THAT(After({"run", "--answers", "a"}), ElementsAre("auto"));
}

TEST_F(CompletionTest, ADatabaseIsOnlyLookedAt) {
  const fs::path copy = File("copy/x.db");
  fs::create_directories(copy.parent_path());
  ASSERT_EQ(Say({"db", "backup", copy.string()}).exit, Exit::kDone);
  const auto before = fs::last_write_time(copy);
  EXPECT_THAT(After({"show", "--db", copy.string(), "--campaign", ""}),
              ElementsAre("a"));
  EXPECT_EQ(fs::last_write_time(copy), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(copy.parent_path()), {}), 1);
}

TEST_F(CompletionTest, TheProgramPrintsThemWithWhatTheyAre) {
  EXPECT_EQ(SayBare({"completion", "words", "--", "run", "--answ"}).out,
            "--answers\tauto: as JSON where a model can be held to it; text: "
            "never\n");
  EXPECT_EQ(SayBare({"completion", "words", "--", "status", "x"}).out, "");
  const Said said = SayBare({"completion", "powershell"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err,
            "coppice completion: powershell: expected bash, zsh or fish\n");
}

TEST_F(CompletionTest, AListGoesOnBehindItsLastComma) {
  EXPECT_THAT(After({"compare", "--tasks", "sim:hill/1,sim:hill"}),
              Contains("sim:hill/1,sim:hill/2"));
  EXPECT_THAT(After({"compare", "--tasks=sim:hill/1,sim:basi"}),
              ElementsAre("--tasks=sim:hill/1,sim:basic"));
  EXPECT_THAT(After({"compare", "--policies", "greedy,"}),
              Contains("greedy,stark"));
}

// Behind the option whose value is awaited no other option is offered.
TEST_F(CompletionTest, AValueIsAwaitedWhateverItBeginsWith) {
  EXPECT_THAT(After({"run", "--answers", "--"}), IsEmpty());
  EXPECT_THAT(After({"run", "--answers", "--json", "t"}),
              Not(Contains("text")));
  EXPECT_THAT(After({"show", "--json", "--db", Path(), "be"}),
              ElementsAre("best"));
  EXPECT_THAT(After({"run", "--no-such=x", "--answers="}),
              ElementsAre("--answers=auto", "--answers=text"));
  EXPECT_THAT(After({"run", "--no-such="}), IsEmpty());
}

// It would be taken for an option, and what has an end of line for two words.
TEST_F(CompletionTest, NamesThatNoShellCouldTellAreNotOffered) {
  store::Plant(database(), "--force");
  store::Plant(database(), "two\nlines");
  store::Plant(database(), "with space");
  EXPECT_THAT(After({"show", "--db", Path(), "--campaign", ""}),
              AllOf(Not(Contains("--force")), Contains("with space")));
  const std::string printed = SayBare({"completion", "words", "--", "show",
                                       "--db", Path(), "--campaign", ""})
                                  .out;
  EXPECT_EQ(printed.find("lines"), std::string::npos);
  EXPECT_NE(printed.find("with space\t1 node\n"), std::string::npos);
}

TEST_F(CompletionTest, NodesAreThoseOfTheCampaignThatIsNamed) {
  store::Plant(database(), "b");
  EXPECT_THAT(After({"show", "--db", Path(), "--campaign", "a", ""}),
              ElementsAre("best", "root", "0", "1", "2", "3"));
  EXPECT_THAT(After({"show", "--db", Path(), "--campaign=b", ""}),
              ElementsAre("best", "root", "0"));
  // Where none is named the last is meant.
  EXPECT_THAT(After({"show", "--db", Path(), ""}),
              ElementsAre("best", "root", "0"));
  EXPECT_THAT(After({"show", "--db", Path(), "--campaign", "c", ""}),
              IsEmpty());
}

TEST_F(CompletionTest, AModelIsAProviderWithAColon) {
  EXPECT_THAT(After({"run", "--code-model", "repl"}), ElementsAre("replay:"));
  const fs::path folder = File("tapes");
  fs::create_directories(folder);
  std::ofstream(folder / "one.jsonl") << "";
  EXPECT_THAT(After({"run", "--code-model", "replay:" + folder.string() + "/"}),
              ElementsAre("replay:" + folder.string() + "/one.jsonl"));
}

TEST_F(CompletionTest, EachPlaceholderOffersWhatItStandsFor) {
  const struct {
    std::vector<std::string> words;
    std::vector<std::string> offered;
  } kCases[] = {
      {{"run", "fitted"}, {"fitted:"}},
      {{"run", "gpu"}, {"gpumode:"}},
      {{"compare", "--baseline", "gree"}, {"greedy"}},
      {{"run", "--policy", "puc"}, {"puct"}},
      {{"run", "--devices", "c"}, {"cpu"}},
      {{"run", "--baselines", "n"}, {"none"}},
      {{"tree", "--db", Path(), "--from", "b"}, {"best"}},
      {{"ticket", "ask", "--db", Path(), "a"}, {"a"}},
      {{"steer", "free"}, {"freeze"}},
      {{"steer", "freeze", "--db", Path(), "r"}, {"root"}},
      {{"steer", "policy", "gree"}, {"greedy"}},
      {{"eval", "sim:basic", "x.cc", "--prof"}, {"--profile"}},
      {{"new", "--i"}, {"--in-place", "--input", "--inputs"}},
      {{"export", "tra"}, {"traces", "trajectories"}},
      {{"spend", "--cam"}, {"--campaign"}},
      {{"completion", "z"}, {"zsh"}},
      {{"task", "noise", "--tier", "fu"}, {"full"}},
      {{"bench", "--subset", "rep"},
       {"representative", "representative_sound"}},
  };
  for (const auto& [words, offered] : kCases) {
    EXPECT_EQ(After(words), offered) << words.front() << " " << words.back();
  }
}

TEST_F(CompletionTest, TheProgramsOwnTasksAreOffered) {
  Install();
  EXPECT_THAT(After({"run", "gemm_sq"}), ElementsAre("gemm_square"));
  EXPECT_THAT(After({"eval", "softmax_r"}), ElementsAre("softmax_rows"));
}

TEST_F(CompletionTest, HelpIsOfferedVerbsAndNoOptions) {
  EXPECT_THAT(After({"help", ""}), Contains("run"));
  EXPECT_THAT(After({"help", "run", "--"}), IsEmpty());
  EXPECT_THAT(After({"help", "nosuch", ""}), IsEmpty());
  EXPECT_THAT(After({"run", "--bud"}), Contains("--budget"));
}

}  // namespace
}  // namespace coppice::cli
