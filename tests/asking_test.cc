// What the agents are asked, through the program: prompts now and then, the
// agents that presets make, and what is exported of it all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace coppice {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

std::string Text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The temperature that the simulated agents of `calls` were asked with.
const std::string kAsked =
    "(SELECT json_extract(blob_text(w.request_blob), '$.temperature') "
    "FROM wire_calls w WHERE w.call_id = calls.call_id)";

class AskingTest : public testing::Test {
 protected:
  AskingTest()
      : directory_(
            fs::path(testing::TempDir()) /
            testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  ~AskingTest() override { fs::remove_all(directory_); }

  // What `coppice WORDS` prints; exit_ is what it exits with.
  std::string Say(const std::string& words) {
    return Shell(std::string(COPPICE_PROGRAM) + " " + words);
  }

  std::string Shell(const std::string& command) {
    const std::string line = "cd '" + directory_.string() + "' && HOME=. " +
                             command + " > out 2> err";
    const int status = std::system(line.c_str());
    exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return Text(directory_ / "out");
  }

  std::string Err() const { return Text(directory_ / "err"); }

  // The one value that a query gives.
  std::string Value(const std::string& sql) {
    const std::string csv = Say("sql --csv \"" + sql + "\"");
    const std::size_t header = csv.find('\n') + 1;
    return csv.substr(header, csv.find('\n', header) - header);
  }

  fs::path directory_;
  int exit_ = -1;
};

// Six attempts; then, for every node, what the seventh would be asked.
TEST_F(AskingTest, WhatAnAgentWouldBeAskedIsWhatItIsAsked) {
  Say("run sim:basic --budget 6");
  std::map<std::string, std::string> now;
  for (int node = 0; node <= 6; ++node) {
    const std::string name = std::to_string(node);
    now[name] = Say("prompt " + name);
    ASSERT_EQ(exit_, 0) << Err();
  }
  Say("run sim:basic --budget 7");
  const std::string parent = Value("SELECT parent FROM nodes WHERE node = 7");
  const std::string role = Value(
      "SELECT role FROM calls WHERE decision = 6 ORDER BY call_id LIMIT 1");
  EXPECT_EQ(Say("show 7 --prompts --role " + role), now[parent]);
  EXPECT_THAT(now[parent], StartsWith("==== " + role + " agent: system\n"));
}

// The root has nine children, of which a plan agent is shown five, and none of
// the leaders: they are among the children.
TEST_F(AskingTest, TheWindowThatIsShownNowIsTheOneThatIsStored) {
  Say("run sim:basic --policy best_of_k --budget 9");
  const std::string now = Say("prompt 0 --json");
  std::ofstream(directory_ / "now.json") << now;
  Say("run sim:basic --policy best_of_k --budget 10");
  std::ofstream(directory_ / "then.json")
      << Say("sql --json \"SELECT node, kinship FROM windows"
             " WHERE decision = 9 AND role = 'plan' AND shown\"");
  Shell(std::string(COPPICE_PYTHON) +
        " -c \"import json; key = lambda e: (e['node'], e['kinship']);"
        " now = json.load(open('now.json')); then = json.load(open('then.json'"
        ")); print(sorted(map(key, now['window'])) == sorted(map(key, then)),"
        " now['nodes_cut'])\"");
  EXPECT_EQ(Text(directory_ / "out"), "True 4\n") << Err() << now;
  EXPECT_EQ(Value("SELECT count(*) || ' ' || sum(shown) FROM windows"
                  " WHERE decision = 9 AND role = 'plan'"),
            "10 6");
}

TEST_F(AskingTest, EveryNodeThatAWindowCutIsKnown) {
  for (const std::string policy : {"best_of_k", "stark", "beam"}) {
    Say("run sim:basic --budget 40 --policy " + policy + " --db " + policy);
    const std::string view = " --db " + policy + " --csv ";
    EXPECT_EQ(Say("sql" + view +
                  "\"SELECT count(*) FROM calls c WHERE nodes_cut <> (SELECT "
                  "count(*) FROM windows w WHERE w.call_id = c.call_id AND "
                  "NOT shown)\""),
              "count(*)\n0\n")
        << policy << Err();
    EXPECT_NE(Say("sql" + view + "\"SELECT sum(nodes_cut) AS cut FROM calls\""),
              "cut\n0\n")
        << policy;
    EXPECT_EQ(Say("sql" + view +
                  "\"SELECT max(rows) <= 9 AS ok FROM (SELECT count(*) AS rows"
                  " FROM window_cut GROUP BY call_id)\""),
              "ok\n1\n")
        << policy << Err();
  }
}

TEST_F(AskingTest, TheTemplatesOfACallHaveTheHashOfTheirFiles) {
  Say("run sim:basic --preset sampling --budget 1");
  const std::string hash = Value("SELECT template_hash FROM calls");
  EXPECT_EQ(Value("SELECT template_set FROM calls"), "coppice");
  std::ofstream(directory_ / "templates")
      << Say("sql --csv \"SELECT blob_text(template_blob) FROM calls\"");
  std::ofstream(directory_ / "hash.sh")
      << "cd '" COPPICE_SOURCE_DIR "/data/prompts'\n"
      << R"(sed -n 's/^.*==== \(.*[.]txt\)$/\1/p' "$OLDPWD/templates" |
while read name; do echo "==== $name"; cat "$name"; done | sha256sum)";
  Shell("sh hash.sh");
  EXPECT_THAT(Text(directory_ / "out"), StartsWith(hash));
}

TEST_F(AskingTest, WhatAModelDoesNotTakeIsTold) {
  Say("run sim:basic --budget 1 --plan-model exec:cat --model-failures 1");
  EXPECT_THAT(Err(), HasSubstr("exec:cat takes no temperature, so plan 0.8 "
                               "does not apply\n"));
  EXPECT_EQ(Value("SELECT temperature IS NULL AND max_output_tokens IS NULL "
                  "FROM calls LIMIT 1"),
            "1");
  Say("run sim:basic --budget 1 --plan-effort high --db b.db");
  EXPECT_EQ(Err(),
            "coppice run: --plan-effort high: catalogue takes no effort of "
            "reasoning; leave it out, or name another model with "
            "--plan-model\n");
  EXPECT_EQ(exit_, 2);
  EXPECT_FALSE(fs::exists(directory_ / "b.db"));
}

TEST_F(AskingTest, TheCodeAgentIsShownTheLastPlanOrTheOneNamed) {
  Say("run sim:basic --policy best_of_k --budget 8");
  const auto plan_of = [this](const std::string& node) {
    return "Planned change: " +
           Value("SELECT technique || '. ' || advice FROM nodes WHERE node = " +
                 node) +
           "\n\nThe latest attempt with";
  };
  const std::string other = Value(
      "SELECT min(node) FROM nodes WHERE advice <> "
      "(SELECT advice FROM nodes WHERE node = 8)");
  EXPECT_THAT(Say("prompt 0 --role code"), HasSubstr(plan_of("8")));
  EXPECT_THAT(Say("prompt 0 --role code --plan-of " + other),
              HasSubstr(plan_of(other)));
  Say("prompt 0 --role code --plan-of 0");
  EXPECT_EQ(Err(),
            "coppice prompt: --plan-of 0: node 0 is no child of node 0 with a "
            "plan\n");
  EXPECT_EQ(exit_, 2);
}

TEST_F(AskingTest, ANodeIsShownOnlyToWhomTheEngineWouldShowIt) {
  Say("run sim:basic --policy best_of_k --budget 8");
  const std::string failed =
      Value("SELECT min(node) FROM nodes WHERE verdict = 'wrong_output'");
  EXPECT_THAT(Say("prompt " + failed), StartsWith("==== debug agent: system"));
  Say("prompt " + failed + " --role plan");
  EXPECT_EQ(Err(), "coppice prompt: --role plan: node " + failed +
                       " failed (wrong_output), so it goes to the debug "
                       "agent\n");
  Say("prompt root --role debug");
  EXPECT_EQ(Err(),
            "coppice prompt: --role debug: node 0 passed, so there is nothing "
            "to debug\n");
  EXPECT_EQ(exit_, 2);
}

// A planner that knows nothing but what it is told: it vectorises the loop that
// a compiler left, unless that was tried.  Only v2 tells of either.
TEST_F(AskingTest, WhoOnlyReadsAnswersByWhatIsTold) {
  std::ofstream(directory_ / "reads.sh") << R"(asked=$(cat)
has() { printf '%s' "$asked" | grep -q -- "$1"; }
if ! has '# Your role: planner'; then echo 'No kernel.'; exit; fi
technique=unroll
if has ': not vectorised, ' && ! has '| vectorise |'; then
  technique=vectorise
fi
printf 'Technique: %s\n\nChange the inner loop.\n' "$technique"
)";
  const std::string model =
      "'exec:sh " + (directory_ / "reads.sh").string() + "'";
  const auto planned = [&](const std::string& version) {
    Say("run gemv --policy best_of_k --budget 2 --grounding off --prompts " +
        version + " --db " + version + ".db --plan-model " + model +
        " --code-model " + model);
    EXPECT_EQ(exit_, 3) << Err();  // No kernel came of it.
    return Say("sql --db " + version +
               ".db --csv \"SELECT technique FROM nodes WHERE node > 0"
               " ORDER BY node\"");
  };
  EXPECT_EQ(planned("v1"), "technique\nunroll\nunroll\n");
  EXPECT_EQ(planned("v2"), "technique\nvectorise\nunroll\n");
}

TEST_F(AskingTest, TheSamplingAgentIsAskedOnceForEachAttemptOnTheRoot) {
  Say("run sim:basic --preset sampling --budget 5");
  EXPECT_EQ(Value("SELECT group_concat(DISTINCT parent) FROM attempts"), "0");
  EXPECT_EQ(Value("SELECT count(*) FROM calls"), "5");
  EXPECT_EQ(Value("SELECT group_concat(DISTINCT role) FROM calls"), "code");
  EXPECT_EQ(Value("SELECT group_concat(DISTINCT " + kAsked + ") FROM calls"),
            "0.7");
  EXPECT_EQ(Value("SELECT max(position) FROM windows"), "0");
  EXPECT_EQ(Value("SELECT count(technique) FROM nodes"), "0");
  EXPECT_THAT(Say("prompt 0"), HasSubstr("# What to do\n"));
}

// Failed or not, an attempt is on the last one that holds a kernel.
// A repeat of an earlier one adds nothing to go on from.
TEST_F(AskingTest, TheReflexionAgentGoesOnFromItsLastAttempt) {
  Say("run sim:basic --preset reflexion --budget 12");
  EXPECT_EQ(Value("SELECT count(*) FROM calls"), "12");
  EXPECT_NE(Value("SELECT count(*) FROM nodes WHERE verdict <> 'passed'"), "0");
  EXPECT_EQ(
      Value("SELECT count(*) FROM attempts a WHERE parent <> (SELECT max(node) "
            "FROM nodes n WHERE n.node <= a.decision AND language NOTNULL "
            "AND same_as IS NULL)"),
      "0");
  EXPECT_EQ(Value("SELECT group_concat(DISTINCT kinship) FROM windows "
                  "WHERE decision > 0 AND shown"),
            "\"selected,root\"");
}

TEST_F(AskingTest, TheSearchAgentIsAloneWithTheSearchOfStark) {
  Say("run sim:basic --preset search --budget 12");
  EXPECT_EQ(Value("SELECT count(*) FROM calls"), "12");
  EXPECT_EQ(Value("SELECT group_concat(DISTINCT policy) FROM attempts"),
            "stark");
}

// A plan and code for each sample, and one repair of each that fails.
TEST_F(AskingTest, TheTeamWithoutSearchSamplesAndRepairs) {
  Say("run sim:hill/1 --preset multi_agent --budget 40");
  EXPECT_EQ(Value("SELECT count(*) FROM attempts a"
                  " JOIN nodes n ON n.node = a.parent WHERE a.parent > 0"
                  " AND (n.verdict = 'passed' OR n.parent > 0)"),
            "0");
  EXPECT_EQ(Value("SELECT count(*) > 0 FROM calls WHERE role = 'debug'"), "1");
  EXPECT_EQ(Value("SELECT sum(role = 'debug') = (SELECT sum(parent > 0)"
                  " FROM attempts) AND sum(role = 'plan') ="
                  " (SELECT sum(parent = 0) FROM attempts) FROM calls"),
            "1");
  EXPECT_EQ(Value("SELECT count(*) FROM windows"
                  " WHERE shown AND kinship NOT IN ('selected', 'root')"),
            "0");
  EXPECT_EQ(Value("SELECT count(*) FROM calls WHERE " + kAsked +
                  " <> iif(role = 'plan', 0.8, 0.1)"),
            "0");
}

// Its cap counts the node itself and the root.
TEST_F(AskingTest, StarkShowsFiveNodesInAll) {
  Say("run sim:hill/1 --preset stark --budget 40");
  EXPECT_EQ(Value("SELECT max(shown) FROM (SELECT count(*) AS shown"
                  " FROM windows WHERE shown GROUP BY call_id)"),
            "5");
}

TEST_F(AskingTest, XeiIsThePresetOfThoseWhoNameNone) {
  Say("run sim:basic --preset xei --budget 10 --db a.db");
  Say("run sim:basic --budget 10 --db b.db");
  const std::string named = Say("fingerprint a.db");
  ASSERT_EQ(exit_, 0) << Err();
  EXPECT_EQ(named, Say("fingerprint b.db"));
}

TEST_F(AskingTest, ACampaignThatGoesOnKeepsItsAgents) {
  Say("run sim:basic --preset sampling --budget 3 --name c");
  Say("resume c --budget 5");
  EXPECT_EQ(Value("SELECT count(*) FROM calls WHERE role = 'code' AND " +
                  kAsked + " = 0.7"),
            "5");
  EXPECT_EQ(Value("SELECT count(*) FROM calls"), "5");
}

TEST_F(AskingTest, TrajectoriesSayWhatTheViewsDo) {
  Say("run sim:basic --budget 12");
  Say("run sim:basic --preset sampling --budget 4");
  Say("export trajectories --output calls.jsonl");
  ASSERT_EQ(exit_, 0) << Err();
  EXPECT_THAT(Err(), HasSubstr(" calls of coppice.db"));
  EXPECT_FALSE(fs::exists(directory_ / "calls.jsonl.partial"));
  EXPECT_EQ(Say("export trajectories"), Text(directory_ / "calls.jsonl"));
  std::ofstream(directory_ / "views.json")
      << Say("sql --json \"SELECT c.campaign, c.decision, c.role, n.verdict,"
             " n.node, n.speedup, n.changed_inside, c.cost_usd, c.input_tokens,"
             " a.parent, blob_text(c.user_prompt_blob) AS user_prompt,"
             " blob_text(c.answer_blob) AS answer, c.served_model,"
             " c.temperature, c.top_p, c.max_output_tokens, c.effort,"
             " c.template_set, c.template_hash FROM calls c"
             " JOIN attempts a USING (campaign, decision)"
             " JOIN nodes n USING (campaign, decision)"
             " ORDER BY c.campaign = 'sim:basic.best_of_k.alone.s1',"
             " c.decision, c.call_id\"");
  ASSERT_EQ(exit_, 0) << Err();
  Shell("'" COPPICE_PYTHON "' '" COPPICE_SOURCE_DIR
        "/tests/check_trajectories.py' calls.jsonl views.json");
  EXPECT_EQ(exit_, 0) << Err();
}

}  // namespace
}  // namespace coppice
