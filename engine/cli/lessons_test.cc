#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agents/prompt/lesson_table.h"
#include "engine/cli/cli_fixture.h"
#include "eval/formats/trace_set.h"
#include "store/records/node.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Solution SolutionOfScale() {
  Solution solution;
  solution.name = "baseline";
  solution.definition = "scale";
  solution.author = "baseline";
  solution.target_hardware = {"cpu"};
  solution.entry_file = "k.cc";
  solution.entry_symbol = "run";
  solution.sources = {{"k.cc", "// its own"}};
  return solution;
}

// y = 2 x, called an operation of that kind.
Task ScaleTask(const std::string& operation) {
  Task task;
  task.definition.name = "scale";
  task.definition.op_type = operation;
  task.definition.axes = {{"N", {}, {}}};
  task.definition.inputs = {{"x", {{"N"}}, DType::kFloat32, {}}};
  task.definition.outputs = {{"y", {{"N"}}, DType::kFloat32, {}}};
  task.definition.reference = "def run(x):\n    return 2 * x\n";
  task.workloads = {{"w1", {{"N", 4}}, {{"x", RandomInput{}}}}};
  task.root = SolutionOfScale();
  task.oracle = SolutionOfScale();
  return task;
}

// The rehearsal's campaign has a task that nobody can read, which teaches
// nothing.  "real" has one: tile was worth 2 and 4 times its parent, and unroll
// crashed.
class LessonsTest : public ::testing::Test, protected Rehearsal {
 protected:
  LessonsTest() { PlantReal("real", "gemm"); }

  CampaignId PlantReal(const std::string& name, const std::string& operation) {
    const Task task = ScaleTask(operation);
    store::CampaignSpec spec = store::SpecNamed(name);
    spec.task_name = task.definition.name;
    spec.task_json = eval::SerialiseTask(task);
    const CampaignId id =
        store::Must(store::Campaigns(database()).Create(spec));
    store::Must(store::Nodes(database())
                    .Commit(id, std::nullopt, store::RootNode(), 1000.0));
    Grow(database(), id, kRootNode, {.runtime_s = 2.0});
    Grow(database(), id, kRootNode, {.runtime_s = 1.0});
    Grow(database(), id, kRootNode,
         {.verdict = Verdict::kCrashed, .technique = "unroll"});
    return id;
  }
  std::string List(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"lessons", "list"});
    const Said said = Say(more);
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    return said.out;
  }
  nlohmann::json Listed(std::vector<std::string> more = {}) {
    more.push_back("--json");
    return nlohmann::json::parse(List(std::move(more)));
  }
  std::string Refused(const std::vector<std::string>& words) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.err;
    EXPECT_EQ(said.out, "");
    return said.err;
  }
  void Add(std::vector<std::string> words) {
    words.insert(words.begin(), {"lessons", "add"});
    const Said said = Say(words);
    ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  }
};

// The median of 2 and 4 is the square root of 8.
TEST_F(LessonsTest, TechniquesAreSummedUpByOperation) {
  EXPECT_EQ(List(),
            "technique  operation  tries  passed  gained  median effect (95 %)"
            "  most fail as\n"
            "tile       gemm           2       2       0              2.8x (?)"
            "  -\n"
            "unroll     gemm           1       0       0                     -"
            "  crashed: log: crashed\n");
  const auto json = Listed();
  ASSERT_EQ(json["techniques"].size(), 2u);
  EXPECT_DOUBLE_EQ(json["techniques"][0]["effect"], std::sqrt(8.0));
  EXPECT_EQ(json["techniques"][0]["effect_low"], nullptr);
  EXPECT_EQ(json["techniques"][0]["most_fail_as"], nullptr);
  EXPECT_EQ(json["techniques"][1]["effect"], nullptr);
  EXPECT_EQ(json["techniques"][1]["most_fail_as"], "crashed");
  EXPECT_EQ(json["techniques"][1]["failure"], "log: crashed");
  EXPECT_EQ(json["notes"], nlohmann::json::array());
}

TEST_F(LessonsTest, WhatWasTriedMostComesFirst) {
  PlantReal("more", "softmax");
  const CampaignId third = PlantReal("third", "gemm");
  for (int i = 0; i < 3; ++i) {
    Grow(database(), third, kRootNode, {.technique = "jam"});
  }
  const auto json = Listed();
  const auto at = [&](std::size_t i) {
    return json["techniques"][i]["technique"].get<std::string>() + " " +
           json["techniques"][i]["operation"].get<std::string>() + " " +
           json["techniques"][i]["tries"].dump();
  };
  ASSERT_EQ(json["techniques"].size(), 5u);
  EXPECT_EQ(at(0), "tile gemm 4");
  EXPECT_EQ(at(1), "jam gemm 3");
  // Those that came first are the first of equals.
  EXPECT_EQ(at(2), "unroll gemm 2");
  EXPECT_EQ(at(3), "tile softmax 2");
  EXPECT_EQ(at(4), "unroll softmax 1");
}

TEST_F(LessonsTest, OnlyWhatIsWantedIsListed) {
  PlantReal("more", "softmax");
  EXPECT_THAT(List({"--operation", "softmax"}),
              AllOf(HasSubstr("softmax"), Not(HasSubstr("gemm"))));
  EXPECT_THAT(List({"--technique", "unroll"}),
              AllOf(HasSubstr("unroll"), Not(HasSubstr("tile"))));
  EXPECT_EQ(Listed({"--technique", "tile", "--operation", "gemm"})["techniques"]
                .size(),
            1u);
  EXPECT_EQ(List({"--operation", "conv"}), "no lessons\n");
  // The whole name, and no part of it.
  EXPECT_EQ(List({"--technique", "til"}), "no lessons\n");
  EXPECT_EQ(Listed({"--operation", "conv"}),
            (nlohmann::json{{"techniques", nlohmann::json::array()},
                            {"notes", nlohmann::json::array()}}));
}

// A program of several steps is of each.
TEST_F(LessonsTest, AStepOfSeveralIsFoundByItsName) {
  const CampaignId id = PlantReal("more", "softmax");
  Grow(database(), id, kRootNode, {.technique = "jam(j, 4) + parallel(i)"});
  for (const char* step : {"jam", "parallel"}) {
    EXPECT_THAT(List({"--technique", step}), HasSubstr("jam")) << step;
  }
}

TEST_F(LessonsTest, AnotherCampaignsLandscapeTeachesNothing) {
  store::NewFile(File("other.db"));
  EXPECT_EQ(SayBare({"lessons", "list", "--db", File("other.db").string()}).out,
            "no lessons\n");
}

TEST_F(LessonsTest, ALineIsWrittenChangedAndTakenAway) {
  EXPECT_EQ(Say({"lessons", "add", "Keep a row in registers."}).out,
            "lesson 1\n");
  EXPECT_EQ(Say({"lessons", "add", "Never across the batch.", "--technique",
                 "parallel", "--operation", "softmax"})
                .out,
            "lesson 2\n");
  EXPECT_THAT(List(), HasSubstr("1  Keep a row in registers.\n"
                                "2  Never across the batch.  parallel  "
                                "softmax\n"));
  const auto notes = Listed()["notes"];
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0], (nlohmann::json{{"lesson", 1},
                                      {"note", "Keep a row in registers."},
                                      {"operation", ""},
                                      {"technique", ""}}));
  // What is not said stays.
  EXPECT_EQ(Say({"lessons", "edit", "2", "--note", "Not across it."}).exit,
            Exit::kDone);
  EXPECT_THAT(List(), HasSubstr("2  Not across it.  parallel  softmax\n"));
  EXPECT_EQ(Say({"lessons", "edit", "2", "--operation", "gemm"}).exit,
            Exit::kDone);
  EXPECT_THAT(List(), HasSubstr("2  Not across it.  parallel  gemm\n"));
  EXPECT_EQ(Say({"lessons", "remove", "2"}).exit, Exit::kDone);
  EXPECT_THAT(List(), Not(HasSubstr("across")));
  EXPECT_THAT(List(), HasSubstr("1  Keep a row"));
  EXPECT_THAT(Refused({"lessons", "remove", "2"}),
              HasSubstr("no lesson of its own has the number 2; see `coppice "
                        "lessons list`"));
  EXPECT_THAT(Refused({"lessons", "edit", "2", "--note", "x"}),
              HasSubstr("no line of a person's has the number 2"));
}

TEST_F(LessonsTest, LinesAreFilteredAsTechniquesAre) {
  Add({"On gemm.", "--operation", "gemm"});
  Add({"On any."});
  Add({"On jams.", "--technique", "jam"});
  EXPECT_THAT(List({"--operation", "gemm"}),
              AllOf(HasSubstr("On gemm."), Not(HasSubstr("On any."))));
  EXPECT_THAT(List({"--technique", "jam"}),
              AllOf(HasSubstr("On jams."), Not(HasSubstr("On gemm."))));
  // The table is left out where nothing is for it.
  EXPECT_EQ(List({"--technique", "jam"}), "3  On jams.  jam\n");
}

TEST_F(LessonsTest, ALineHasWordsAndFitsIntoAPrompt) {
  for (const char* blank : {" ", "\n", " \t\n "}) {
    EXPECT_EQ(Refused({"lessons", "add", blank}),
              "coppice lessons add: a lesson needs words\n");
  }
  const std::string most(agents::kMostNoteBytes, 'x');
  Add({most});
  EXPECT_EQ(Refused({"lessons", "add", most + "x"}),
            "coppice lessons add: a lesson of " +
                std::to_string(most.size() + 1) + " bytes: agents are shown " +
                std::to_string(most.size()) + " at most\n");
  EXPECT_THAT(Refused({"lessons", "edit", "1", "--note", most + "x"}),
              HasSubstr("bytes: agents are shown"));
  EXPECT_THAT(Refused({"lessons", "edit", "1", "--note", " "}),
              HasSubstr("a lesson needs words"));
  EXPECT_EQ(Listed()["notes"][0]["note"], most);
}

TEST_F(LessonsTest, ALessonIsChosenByItsNumber) {
  for (const char* bad : {"0", "one", "1.5", "1x", "", "9223372036854775808"}) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"lessons", "remove", bad},
          {"lessons", "edit", bad, "--note", "x"}}) {
      EXPECT_THAT(Refused(words),
                  HasSubstr(std::string(bad) +
                            ": expected the number of a lesson; `coppice "
                            "lessons list` has them"));
    }
  }
  Add({"A line."});
  EXPECT_EQ(Refused({"lessons", "edit", "1"}),
            "coppice lessons edit: give --note, --operation or --technique: "
            "what is to change\n");
}

TEST_F(LessonsTest, ALineOfAStrangerCannotSteerTheTerminal) {
  Add({"Two\nlines\033[2J", "--technique", "a\ab", "--operation",
       "c\xE2\x80\xAE"
       "d"});
  EXPECT_THAT(List(), HasSubstr("1  Two lines?[2J  a?b  c?d\n"));
  EXPECT_EQ(Listed()["notes"][0]["note"], "Two\nlines\033[2J");
}

TEST_F(LessonsTest, TheLibraryIsAFileOfItsOwn) {
  surroundings.environment["XDG_DATA_HOME"] = File("share").string();
  const std::filesystem::path library = File("share/coppice/memory.db");
  EXPECT_NE(SayBare({"lessons", "list", "--library"}).exit, Exit::kDone);
  EXPECT_FALSE(std::filesystem::exists(library));
  EXPECT_EQ(SayBare({"lessons", "add", "For all.", "--library"}).out,
            "lesson 1\n");
  EXPECT_TRUE(std::filesystem::exists(library));
  EXPECT_EQ(SayBare({"lessons", "list", "--library"}).out, "1  For all.\n");
  // The database has none of it.
  EXPECT_THAT(List(), Not(HasSubstr("For all.")));
  EXPECT_EQ(SayBare({"lessons", "remove", "1", "--library"}).exit, Exit::kDone);
  EXPECT_EQ(SayBare({"lessons", "list", "--library"}).out, "no lessons\n");
}

TEST_F(LessonsTest, WithoutAHomeThereIsNoLibrary) {
  surroundings.environment.clear();
  const Said said = SayBare({"lessons", "add", "x", "--library"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err,
            "coppice lessons add: the library has no home; set HOME or "
            "XDG_DATA_HOME\n");
}

TEST_F(LessonsTest, OnlyAddingMakesAFile) {
  const std::string db = File("new.db").string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"lessons", "list"},
        {"lessons", "remove", "1"},
        {"lessons", "edit", "1", "--note", "x"}}) {
    std::vector<std::string> with = words;
    with.insert(with.end(), {"--db", db});
    EXPECT_EQ(SayBare(with).exit, Exit::kUsage);
    EXPECT_FALSE(std::filesystem::exists(db)) << words[1];
  }
  EXPECT_EQ(SayBare({"lessons", "add", "A line.", "--db", db}).out,
            "lesson 1\n");
  EXPECT_EQ(SayBare({"lessons", "list", "--db", db}).out, "1  A line.\n");
}

}  // namespace
}  // namespace coppice::cli
