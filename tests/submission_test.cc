// Kernels of people through the whole program: judged by what they do, with
// their author, whoever runs the campaign.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "store/database.h"
#include "tests/campaign_process.h"

namespace coppice {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Ended {
  int code = 0;
  std::string said;
};

class SubmissionTest : public testing::Test {
 protected:
  std::string Put(const std::string& name, const std::string& text) const {
    const auto path = processes_.directory() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  static Ended EndOf(const CampaignProcesses& processes, pid_t child) {
    const int status = CampaignProcesses::Wait(child);
    EXPECT_TRUE(WIFEXITED(status));
    return {WEXITSTATUS(status), processes.Output()};
  }
  Arguments With(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--db", File()});
    return arguments;
  }
  Ended Run(const Arguments& arguments) const {
    return EndOf(processes_, processes_.Start(With(arguments)));
  }
  // Its answer as JSON; on stderr nothing is said.
  json Submit(Arguments arguments) const {
    arguments.insert(arguments.begin(), "submit");
    arguments.insert(arguments.end(), {"--json", "--progress", "none"});
    const Ended ended = Run(arguments);
    const std::size_t begin = ended.said.find("{\n");
    EXPECT_NE(begin, std::string::npos) << ended.said;
    return json::parse(ended.said.substr(begin), nullptr, false);
  }
  std::string File() const { return processes_.Database("x").string(); }
  std::vector<std::string> Lines(const std::string& sql) const {
    const auto rows = nlohmann::ordered_json::parse(
        processes_.Succeed({"sql", sql, "--json", "--db", File()}));
    std::vector<std::string> lines;
    for (const auto& row : rows) {
      std::string line;
      for (const auto& [name, value] : row.items()) {
        line += (line.empty() ? "" : "|") + value.dump();
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }
  // Different kernels of a simulated task, that agents wrote.
  std::vector<std::string> SimulatedKernels() const {
    const CampaignProcesses others("agents");
    const std::string database = others.Database("agents").string();
    others.Succeed({"run", "sim:basic", "--budget", "12", "--db", database,
                    "--progress", "none"});
    const json rows = json::parse(others.Succeed(
        {"sql",
         "SELECT DISTINCT blob_text(source_blob) AS source FROM nodes"
         " WHERE node > 0 AND verdict = 'passed'",
         "--db", database, "--json"}));
    std::vector<std::string> kernels;
    for (const json& row : rows) kernels.push_back(row["source"]);
    EXPECT_GE(kernels.size(), 2u);
    return kernels;
  }

  CampaignProcesses processes_;
};

// The root's own source; one that is no C++; and one that computes something
// else.
TEST_F(SubmissionTest, KernelsAreJudgedAndKeptWithTheirAuthor) {
  const std::string root =
      TextOf(std::string(COPPICE_SOURCE_DIR) + "/data/cpu/gelu_tanh/root.cc");
  ASSERT_NE(root, "");
  std::string wrong = root;
  wrong.replace(wrong.find("0.5f"), 4, "0.6f");
  const Ended ended = Run({"submit", "gelu_tanh", Put("same.cc", root),
                           Put("bad.cc", "not C++"), Put("wrong.cc", wrong),
                           "--author", "Ann", "--progress", "none"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.said, HasSubstr("compile_failed"));
  EXPECT_THAT(ended.said, HasSubstr("wrong_output"));
  EXPECT_THAT(ended.said, HasSubstr("bad.cc:\n  "));
  EXPECT_THAT(ended.said, HasSubstr("campaign gelu_tanh.submissions\n"));
  // On a busy machine the times of what is right may tell nothing.
  EXPECT_THAT(Lines("SELECT origin, author, node,"
                    " replace(verdict, 'inconclusive', 'passed') AS verdict"
                    " FROM claims ORDER BY claim"),
              ElementsAre("\"same.cc\"|\"Ann\"|1|\"passed\"",
                          "\"bad.cc\"|\"Ann\"|2|\"compile_failed\"",
                          "\"wrong.cc\"|\"Ann\"|3|\"wrong_output\""));
  EXPECT_THAT(processes_.Succeed({"db", "doctor", "--db", File()}),
              HasSubstr("sound"));
}

TEST_F(SubmissionTest, AnAnswerTellsVerdictRankAndLeader) {
  const auto kernels = SimulatedKernels();
  const std::string first = Put("first.sim", kernels[0]);
  const json answer = Submit({"sim:basic", first, "--author", "Ann"});
  EXPECT_EQ(answer["campaign"], "sim:basic.submissions");
  const json& kernel = answer["kernels"][0];
  EXPECT_EQ(kernel["origin"], "first.sim");
  EXPECT_EQ(kernel["author"], "Ann");
  EXPECT_EQ(kernel["new"], true);
  EXPECT_EQ(kernel["node"], 1);
  EXPECT_EQ(kernel["verdict"], "passed");
  EXPECT_GE(kernel["rank"], 1);
  EXPECT_LE(kernel["rank"], 2);
  EXPECT_EQ(kernel["leaders"], 2);
  EXPECT_TRUE(kernel["leader"]["told_apart"].is_boolean());
  // Again by somebody else: it is known, and stays whose it was.
  const json again =
      Submit({"sim:basic", Put("copy.sim", kernels[0]), "--author", "Bob"});
  EXPECT_EQ(again["kernels"][0]["new"], false);
  EXPECT_EQ(again["kernels"][0]["author"], "Ann");
  EXPECT_EQ(again["kernels"][0]["node"], 1);
  EXPECT_THAT(Lines("SELECT count(*) AS n FROM nodes"), ElementsAre("2"));
  EXPECT_THAT(Run({"submit", "sim:basic", first, "--progress", "none"}).said,
              HasSubstr("first.sim: was submitted before as first.sim by "
                        "Ann\n"));
}

TEST_F(SubmissionTest, WhoRunsTheCampaignJudgesIt) {
  const auto kernels = SimulatedKernels();
  const CampaignProcesses runner("runner");
  const pid_t run =
      runner.Start(With({"run", "sim:basic", "--budget", "1000000", "--name",
                         "long", "--progress", "none"}));
  while (Run({"sql", "SELECT * FROM nodes LIMIT 1"}).code != 0 ||
         processes_.Count(File(), "nodes") < 5) {
  }
  const Ended ended =
      Run({"submit", "long", Put("mine.sim", kernels[0]), "--author", "Ann"});
  EXPECT_EQ(ended.code, 0) << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("long: another process runs it, and judges "
                                    "what is submitted; waiting"));
  EXPECT_THAT(ended.said, HasSubstr("passed"));
  const Ended left =
      Run({"submit", "long", Put("other.sim", kernels[1]), "--no-wait"});
  EXPECT_EQ(left.code, 0) << left.said;
  kill(run, SIGKILL);
  CampaignProcesses::Wait(run);
  EXPECT_THAT(
      Lines("SELECT author, verdict FROM claims ORDER BY claim LIMIT 1"),
      ElementsAre("\"Ann\"|\"passed\""));
}

// What nobody waits for is in the file, and `resume` finds it, though the
// campaign had done all it was to do.
TEST_F(SubmissionTest, WhatNobodyWaitsForIsJudgedByResume) {
  const auto kernels = SimulatedKernels();
  Submit({"sim:basic", Put("a.sim", kernels[0])});
  const Ended ended = Run({"submit", "sim:basic.submissions",
                           Put("b.sim", kernels[1]), "--no-wait"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.said, HasSubstr("not judged yet"));
  EXPECT_THAT(ended.said, HasSubstr("judged by whoever runs the campaign: "
                                    "coppice resume --db "));
  EXPECT_THAT(Lines("SELECT count(verdict) AS n FROM claims"),
              ElementsAre("1"));
  EXPECT_THAT(Run({"resume", "--progress", "none"}).code, AnyOf(0, 3));
  EXPECT_THAT(Lines("SELECT count(verdict) AS n FROM claims"),
              ElementsAre("2"));
}

TEST_F(SubmissionTest, TwoAtOnceAreBothJudgedOnce) {
  const auto kernels = SimulatedKernels();
  const CampaignProcesses other("other");
  const auto submit = [&](const std::string& kernel, const char* author) {
    return With({"submit", "sim:basic", kernel, "--author", author,
                 "--progress", "none"});
  };
  // Both find the campaign made, or one of them is told that it is made now.
  Submit({"sim:basic", Put("zero.sim", kernels[0])});
  const pid_t ann = processes_.Start(submit(Put("a.sim", kernels[1]), "Ann"));
  const pid_t bob = other.Start(submit(Put("b.sim", kernels[1] + "\n"), "Bob"));
  const Ended first = EndOf(processes_, ann);
  const Ended second = EndOf(other, bob);
  EXPECT_EQ(first.code, 0) << first.said;
  EXPECT_EQ(second.code, 0) << second.said;
  EXPECT_THAT(Lines("SELECT count(*) AS n, count(verdict) AS judged"
                    " FROM claims"),
              ElementsAre("3|3"));
  EXPECT_THAT(Lines("SELECT count(*) AS n FROM nodes"), ElementsAre("4"));
  EXPECT_THAT(processes_.Succeed({"db", "doctor", "--db", File()}),
              HasSubstr("sound"));
}

// Killed at any commit, submitting the same again has it judged, once.
TEST_F(SubmissionTest, KilledItGoesOn) {
  const std::string kernel = Put("k.sim", SimulatedKernels()[0]);
  int interrupted = 0;
  for (int commit = 0; commit <= 10; ++commit) {
    const std::string database =
        processes_.Database("k" + std::to_string(commit)).string();
    const Arguments submit = {"submit", "sim:basic",  kernel, "--db",
                              database, "--progress", "none"};
    const int status = CampaignProcesses::Wait(
        processes_.Start(submit, std::to_string(commit)));
    interrupted += WIFSIGNALED(status) ? 1 : 0;
    processes_.Succeed(submit);
    const json counts = json::parse(processes_.Succeed(
        {"sql",
         "SELECT count(*) AS claims, count(verdict) AS judged,"
         " (SELECT count(*) FROM nodes) AS nodes FROM claims",
         "--db", database, "--json"}));
    EXPECT_EQ(counts[0], json({{"claims", 1}, {"judged", 1}, {"nodes", 2}}));
  }
  EXPECT_GT(interrupted, 5);
}

TEST_F(SubmissionTest, MistakesLeaveNothingBehind) {
  const auto error = [&](const Arguments& arguments) {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.code, 2);
    return ended.said;
  };
  EXPECT_THAT(error({"submit", "gelu_tanh", Put("empty.cc", " \n")}),
              HasSubstr("empty.cc: holds no kernel"));
  EXPECT_THAT(error({"submit", "gelu_tanh", "none.cc"}),
              HasSubstr("none.cc: No such file or directory"));
  EXPECT_THAT(error({"submit", "gelu_tanh", processes_.directory().string()}),
              HasSubstr(processes_.directory().string()));
  EXPECT_THAT(error({"submit", "gelu_tang", Put("k.cc", "x")}),
              HasSubstr("nor has " + File() + " a campaign of that name"));
  EXPECT_THAT(error({"submit", "gelu_tanh", "-", "-"}),
              HasSubstr("standard input"));
  EXPECT_FALSE(std::filesystem::exists(File()));
}

}  // namespace
}  // namespace coppice
