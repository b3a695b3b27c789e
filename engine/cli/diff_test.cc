#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "store/records/window.h"
#include "store/write/calls.h"
#include "store/write/wire_calls.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class DiffTest : public ::testing::Test, protected Rehearsal {};

TEST_F(DiffTest, LabelsItsSidesWithWhatTheyDid) {
  EXPECT_EQ(Say({"diff", "1", "best"}).out,
            "--- node 1 (passed, tile)\n"
            "+++ node 3 (passed, tile)\n"
            "@@ -1,2 +1,2 @@\n"
            " one\n"
            "-two\n"
            "+three\n");
}

TEST_F(DiffTest, TakesItsContextFromTheUser) {
  EXPECT_THAT(Say({"diff", "1", "3", "--context", "0"}).out,
              HasSubstr("@@ -2 +2 @@\n-two\n+three\n"));
}

TEST_F(DiffTest, EqualSourcesAreNoFailure) {
  const Said said = Say({"diff", "1", "1"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "the sources are equal\n");
}

TEST_F(DiffTest, ColoursOnATerminal) {
  terminal = true;
  EXPECT_THAT(Say({"diff", "1", "3"}).out,
              HasSubstr("\033[31m-two\033[0m\n\033[32m+three\033[0m\n"));
}

TEST_F(DiffTest, JsonHoldsTheTextAndItsSides) {
  const auto json =
      nlohmann::json::parse(Say({"diff", "1", "3", "--json"}).out);
  EXPECT_EQ(json["a"], 1);
  EXPECT_EQ(json["b"], 3);
  EXPECT_THAT(json["diff"].get<std::string>(), HasSubstr("+three"));
}

// 1 s and 2 s, but one sample each; then eight each, without noise.
TEST_F(DiffTest, SaysWhichIsFasterOrThatItCannotTell) {
  EXPECT_EQ(Say({"diff", "1", "3"}).err,
            "node 3 against node 1: cannot tell: 2x (too few rounds)\n");
  for (const auto& [node, runtime_s] : {std::pair(1, 2.0), std::pair(3, 1.0)}) {
    Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, runtime_s);
    evaluation.tier = Tier::kFull;
    evaluation.workloads[0].samples_s.assign(8, runtime_s);
    evaluation.workloads[0].root_samples_s.assign(8, 4.0);
    Summarise(evaluation);
    store::Must(
        store::Nodes(database())
            .AddEvaluation(campaign(), NodeId{node}, evaluation, 2000.0));
  }
  EXPECT_EQ(Say({"diff", "1", "3"}).err, "node 3 against node 1: 2x\n");
  const auto json =
      nlohmann::json::parse(Say({"diff", "3", "1", "--json"}).out);
  EXPECT_EQ(json["b_over_a"]["ratio"], 0.5);
  EXPECT_EQ(json["b_over_a"]["told_apart"], true);
}

TEST_F(DiffTest, OfAFailingNodeNothingIsSaid) {
  EXPECT_EQ(Say({"diff", "1", "2"}).err, "");
  EXPECT_TRUE(
      nlohmann::json::parse(Say({"diff", "1", "2", "--json"}).out)["b_over_a"]
          .is_null());
}

// A copy has the evaluation of its first, beside which it is nothing new.
TEST_F(DiffTest, OfACopyNothingIsSaid) {
  store::Change(database(), "UPDATE node SET same_as = 1 WHERE number = 3");
  EXPECT_EQ(Say({"diff", "1", "3"}).err, "");
  EXPECT_EQ(Say({"diff", "3", "1"}).err, "");
  EXPECT_EQ(
      nlohmann::json::parse(Say({"diff", "1", "3", "--json"}).out)["b_over_a"],
      nullptr);
}

TEST_F(DiffTest, NeedsTwoNodes) {
  EXPECT_EQ(Say({"diff", "1"}).err,
            "coppice diff: missing B; see: coppice diff --help\n");
}

// A call for `parent`, by the plan agent, of "templates" that differ in b.txt.
std::string Ask(store::Database& database, CampaignId campaign,
                std::int64_t decision, const std::string& prompt,
                const SentSampling& sampling, const Window& window) {
  const AttemptId attempt = store::Must(store::Attempts(database).Reserve(
      campaign, store::ReservationOf(decision, kRootNode)));
  CallIntent intent = store::IntentOf(Role::kPlan);
  intent.user_prompt = "Look.\n" + prompt + "\n";
  intent.templates = "==== a.txt\nLook.\n==== b.txt\n" + prompt + "\n";
  intent.template_set = "coppice";
  const CallId call =
      store::Must(store::Calls(database).Begin(attempt, intent, window));
  WireIntent wire;
  wire.request = "{}";
  wire.sampling = sampling;
  store::Must(store::WireCalls(database).Begin(call, wire, {}));
  return ToString(intent.uuid);
}

// Nodes 1 and 2 are children of the root; 2 is cut from what B is shown.
TEST_F(DiffTest, PromptsDifferInWhatTheyWereMadeOf) {
  const WindowEntry root{kRootNode, Kinship::kSelected};
  const WindowEntry child{NodeId{1}, Kinship::kChild};
  const WindowCut cut{Kinship::kChild, NodeId{2}, NodeId{2}, 1};
  const std::string a = Ask(database(), campaign(), 3, "Be bold.",
                            {0.8, {}, 900, {}}, {{root, child}, {}});
  const std::string b = Ask(database(), campaign(), 4, "Be careful.",
                            {{}, {}, 900, "high"}, {{root}, {cut}});
  const Said said = Say({"diff", a, b, "--prompts"});
  EXPECT_EQ(said.err, "");
  const std::string hash_of_a =
      store::Rows(database(),
                  "SELECT substr(template_hash, 1, 12) FROM calls WHERE uuid ="
                  " '" +
                      a + "'")[0];
  const std::string hash_of_b =
      store::Rows(database(),
                  "SELECT substr(template_hash, 1, 12) FROM calls WHERE uuid ="
                  " '" +
                      b + "'")[0];
  EXPECT_EQ(said.out, "==== plan agent: call " + a + " against call " + b +
                          "\n"
                          "model       both: replay:model\n"
                          "sampling    call " +
                          a +
                          ": temperature 0.8, at most 900 tokens\n"
                          "            call " +
                          b +
                          ": effort high, at most 900 tokens\n"
                          "templates   call " +
                          a + ": coppice " + hash_of_a +
                          "\n"
                          "            call " +
                          b + ": coppice " + hash_of_b +
                          "; differ: b.txt\n"
                          "shown       call " +
                          a +
                          ": 0 selected, 1 child\n"
                          "            call " +
                          b +
                          ": 0 selected; 1 cut\n"
                          "--- call " +
                          a +
                          ", user\n"
                          "+++ call " +
                          b +
                          ", user\n"
                          "@@ -1,2 +1,2 @@\n"
                          " Look.\n"
                          "-Be bold.\n"
                          "+Be careful.\n");
  const auto json =
      nlohmann::json::parse(Say({"diff", a, b, "--prompts", "--json"}).out);
  EXPECT_EQ(json[0]["role"], "plan");
  EXPECT_EQ(json[0]["a"]["temperature"], 0.8);
  EXPECT_EQ(json[0]["b"]["temperature"], nullptr);
  EXPECT_EQ(json[0]["b"]["window"].dump(),
            R"([{"kinship":"selected","node":0}])");
  EXPECT_EQ(json[0]["b"]["nodes_cut"], 1);
  EXPECT_EQ(json[0]["system_diff"], "");
}

// What only one side needed is told of that side.
TEST_F(DiffTest, TemplatesOfOneSideAloneAreNamed) {
  const auto ask = [&](std::int64_t decision, const std::string& templates) {
    const AttemptId attempt = store::Must(
        store::Attempts(database())
            .Reserve(campaign(), store::ReservationOf(decision, kRootNode)));
    CallIntent intent = store::IntentOf(Role::kPlan);
    intent.templates = templates;
    intent.template_set = "mine";
    store::Must(store::Calls(database()).Begin(attempt, intent, {}));
    return ToString(intent.uuid);
  };
  const std::string a =
      ask(3, "==== a.txt\nA.\n==== c.txt\nC.\n==== d.txt\nD.\n");
  const std::string b = ask(4, "==== a.txt\nA.\n==== b.txt\nB.\n");
  EXPECT_THAT(Say({"diff", a, b, "--prompts"}).out,
              HasSubstr("; only call " + a + ": c.txt, d.txt; only call " + b +
                        ": b.txt\n"));
  EXPECT_THAT(Say({"diff", b, a, "--prompts"}).out,
              HasSubstr("; only call " + a + ": c.txt, d.txt; only call " + b +
                        ": b.txt\n"));
}

TEST_F(DiffTest, PromptsAreNotMeasuredAndHaveTheirRole) {
  const struct {
    std::vector<std::string> words;
    std::string what;
  } kCases[] = {
      {{"diff", "1", "3", "--prompts", "--measure"},
       "coppice diff: --measure: prompts are not measured\n"},
      {{"diff", "1", "3", "--prompts", "--role", "boss"},
       "coppice diff: --role boss: expected plan, code or debug\n"},
      {{"diff", "1", "3", "--prompts", "--role", "debug"},
       "coppice diff: no agent of a role was asked for both: for 1 none, for 3 "
       "none\n"},
      {{"diff", "1", "9", "--prompts"},
       "coppice diff: a: no node 9; it has 4, counted from 0\n"},
      {{"diff", "1", "leaf", "--prompts"},
       "coppice diff: 'leaf' is no node: expected a number, root or best\n"},
      {{"diff", "1", "3", "--prompts", "--context", "few"},
       "coppice diff: --context: expected a whole number of at least 0, not "
       "'few'\n"},
  };
  for (const auto& [words, what] : kCases) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << what;
    EXPECT_EQ(said.out, "") << what;
    EXPECT_EQ(said.err, what);
  }
}

// A call is held against a node's of the same role, whichever comes first.
TEST_F(DiffTest, ACallIsComparedWithANode) {
  const std::string call =
      store::Rows(database(),
                  "SELECT uuid FROM calls WHERE decision = 0 AND role ="
                  " 'code'")[0];
  EXPECT_THAT(Say({"diff", call, "3", "--prompts"}).out,
              ::testing::StartsWith("==== code agent: call " + call +
                                    " against node 3\n"));
  const auto json = nlohmann::json::parse(
      Say({"diff", "3", call, "--prompts", "--json"}).out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["role"], "code");
  EXPECT_EQ(json[0]["b"]["call"], call);
}

TEST_F(DiffTest, PromptsOfNodesAreComparedRoleByRole) {
  const std::string out = Say({"diff", "1", "3", "--prompts"}).out;
  EXPECT_THAT(out, HasSubstr("==== plan agent: node 1 against node 3\n"
                             "model       both: replay:model\n"
                             "sampling    both: none sent\n"
                             "templates   both: none\n"));
  EXPECT_THAT(out, HasSubstr("==== code agent: node 1 against node 3\n"));
  EXPECT_THAT(out, HasSubstr("the prompts are equal\n"));
  EXPECT_EQ(Say({"diff", "1", "3", "--prompts", "--role", "code"}).out,
            out.substr(out.find("==== code")));
}

TEST_F(DiffTest, PromptsAreOnlyComparedWhereBothWereAsked) {
  EXPECT_EQ(Say({"diff", "root", "3", "--prompts"}).err,
            "coppice diff: no agent of a role was asked for both: for root "
            "none, for 3 plan, code\n");
  EXPECT_EQ(Say({"diff", "1", "3", "--role", "code"}).err,
            "coppice diff: --role: goes with --prompts\n");
  const std::string nobody = "0190163d-8694-739b-aea5-966c26f8ad91";
  EXPECT_THAT(Say({"diff", nobody, nobody, "--prompts"}).err,
              HasSubstr("no call " + nobody));
}

class DiffMeasuredTest : public DiffTest {
 protected:
  DiffMeasuredTest() {
    Install();
    SayIn("new.db",
          {"run", "sim:basic", "--budget", "3", "--progress", "none"});
  }
  double Ratio(const std::string& a, const std::string& b) {
    const Said said = SayIn("new.db", {"diff", a, b, "--measure", "--json"});
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    return nlohmann::json::parse(said.out)["b_over_a"]["ratio"];
  }
};

// One is held against the other, and not both against the root.
TEST_F(DiffMeasuredTest, AIsInThePlaceOfTheRoot) {
  EXPECT_DOUBLE_EQ(Ratio("best", "best"), 1.0);
  EXPECT_GT(Ratio("root", "best"), 1.0);
  EXPECT_DOUBLE_EQ(Ratio("best", "root") * Ratio("root", "best"), 1.0);
  EXPECT_THAT(SayIn("new.db", {"diff", "best", "best", "--measure"}).err,
              HasSubstr(", in turn: "));
}

}  // namespace
}  // namespace coppice::cli
