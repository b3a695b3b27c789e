#include "store/read/canned_queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "store/scratch.h"
#include "store/write/baselines.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CannedQueriesTest : public ::testing::Test {
 protected:
  // Node 1 is twice as fast as the root, node 2 four times; 3 does not compile.
  CannedQueriesTest() {
    Grow(database_, campaign_, kRootNode,
         {.source = "tiled", .runtime_s = 2.0});
    Grow(database_, campaign_, NodeId{1}, {.runtime_s = 1.0});
    Grow(database_, campaign_, kRootNode,
         {.verdict = Verdict::kCompileFailed,
          .runtime_s = std::nullopt,
          .technique = "unroll"});
  }

  Sheet At(Lookup lookup, std::int64_t n, const std::string& text = "") {
    return Must(Look(database_, lookup,
                     {{":campaign", "a"},
                      {":n", n},
                      {":d", n},
                      {":role", ""},
                      {":text", text}}));
  }

  static const CannedQuestion& Named(std::string_view name) {
    return *std::ranges::find(CannedQuestions(), name, &CannedQuestion::name);
  }

  Sheet Ask(std::string_view name, std::int64_t n = 0, std::int64_t m = 0) {
    return Must(AskCanned(database_, Named(name),
                          {{":campaign", "a"}, {":n", n}, {":m", m}}));
  }

  std::vector<std::string> Found(Lookup lookup, std::int64_t n,
                                 const std::string& text = "") {
    return AsLines(At(lookup, n, text).rows);
  }

  std::vector<std::string> Answer(std::string_view name, std::int64_t n = 0,
                                  std::int64_t m = 0) {
    return AsLines(Ask(name, n, m).rows);
  }

  // A campaign of which no answer is to speak: its node 1 is 8 times as fast as
  // the root, and 2 crashed.
  CampaignId AddOther() {
    const CampaignId other = Plant(database_, "A");
    Grow(database_, other, kRootNode,
         {.source = "tiled otherwise", .runtime_s = 0.5, .technique = "jam"});
    Grow(database_, other, NodeId{1},
         {.verdict = Verdict::kCrashed, .technique = "jam"});
    return other;
  }

  void Evaluate(std::int64_t node, const Evaluation& evaluation) {
    Must(Nodes(database_).AddEvaluation(campaign_, NodeId{node}, evaluation,
                                        2000.0));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

std::int64_t Whole(const Value& value) { return std::get<std::int64_t>(value); }

std::string Text(const Value& value) { return std::get<std::string>(value); }

TEST_F(CannedQueriesTest, EachLookupRunsOnTheViews) {
  for (int lookup = 0; lookup <= static_cast<int>(Lookup::kHasDecision);
       ++lookup) {
    EXPECT_FALSE(At(static_cast<Lookup>(lookup), 1, "tile").columns.empty())
        << lookup;
  }
}

TEST_F(CannedQueriesTest, ANodeIsFoundWithItsTexts) {
  const Sheet node = At(Lookup::kNode, 2);
  ASSERT_EQ(node.rows.size(), 1u);
  EXPECT_EQ(Whole(node.rows[0][2]), 2);
  EXPECT_EQ(Text(At(Lookup::kSource, 1).rows[0][0]), "tiled");
  EXPECT_EQ(At(Lookup::kHasNode, 3).rows.size(), 1u);
  EXPECT_EQ(At(Lookup::kHasNode, 4).rows.size(), 0u);
  EXPECT_EQ(At(Lookup::kHasDecision, 3).rows.size(), 0u);  // They are 0, 1, 2.
}

TEST_F(CannedQueriesTest, ASearchSaysWhereItFound) {
  const Sheet found = At(Lookup::kSearch, 0, "TILED");
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(Whole(found.rows[0][0]), 1);
  EXPECT_EQ(Text(found.rows[0][4]), "source");
}

TEST_F(CannedQueriesTest, EachCannedQuestionRunsAndHasAName) {
  std::set<std::string_view> names;
  for (const CannedQuestion& canned : CannedQuestions()) {
    EXPECT_FALSE(Ask(canned.name, 1, 2).columns.empty()) << canned.name;
    EXPECT_TRUE(names.insert(canned.name).second);
    // What it needs stands in the question, as N and M.
    const bool has_n = canned.question.find(" N") != std::string_view::npos;
    const bool has_m = canned.question.find(" M") != std::string_view::npos;
    EXPECT_EQ(canned.numbers, static_cast<int>(has_n) + has_m) << canned.name;
  }
}

TEST_F(CannedQueriesTest, CannedQuestionsAreAnsweredRight) {
  EXPECT_EQ(Text(Ask("why_failed", 3).rows[0][2]), "compile_failed");
  EXPECT_EQ(Whole(Ask("failures").rows[0][1]), 1);
  // One round tells nothing of its spread.
  EXPECT_THAT(Text(Ask("which_faster", 2, 1).rows[0][5]),
              HasSubstr("cannot tell"));
  EXPECT_DOUBLE_EQ(std::get<double>(Ask("which_faster", 2, 1).rows[0][2]), 2.0);
  const Sheet best = Ask("best");
  EXPECT_EQ(Whole(best.rows[0][1]), 2);
  EXPECT_DOUBLE_EQ(std::get<double>(best.rows[0][2]), 4.0);
  const Sheet steps = Ask("how_got_there", 2);
  ASSERT_EQ(steps.rows.size(), 3u);  // The root, 1, 2.
  EXPECT_EQ(Whole(steps.rows[1][1]), 1);
  // Twice tile, with effects 2 and 2; once unroll, with none.
  const Sheet tried = Ask("tried_most");
  ASSERT_EQ(tried.rows.size(), 2u);
  EXPECT_EQ(Text(tried.rows[0][0]), "tile");
  EXPECT_EQ(Whole(tried.rows[0][1]), 2);
  EXPECT_NEAR(std::get<double>(tried.rows[0][3]), 2.0, 1e-12);
  EXPECT_EQ(Ask("refuted").rows.size(), 0u);
}

TEST_F(CannedQueriesTest, LookupsAreOfOneNodeOfOneCampaign) {
  AddOther();
  EXPECT_THAT(Found(Lookup::kLineage, 2),
              ElementsAre("0|0|passed|1|-|-", "1|1|passed|2|tile|tile the loop",
                          "2|2|passed|4|tile|tile the loop"));
  EXPECT_THAT(Found(Lookup::kDecision, 1),
              ElementsAre("a|1|1|stark|exploit: best eligible|committed|tile|"
                          "tile the loop|-|2|passed|2|0|-"));
  EXPECT_THAT(Found(Lookup::kHasDecision, 1), ElementsAre("1|2"));
  EXPECT_THAT(Found(Lookup::kHasNode, 1), ElementsAre("1"));
  EXPECT_THAT(Found(Lookup::kSource, 1), ElementsAre("tiled"));
  EXPECT_THAT(Found(Lookup::kLog, 3), ElementsAre("log: compile_failed"));
  EXPECT_THAT(Found(Lookup::kProfile, 1), ElementsAre("-"));
}

// Each attempt asks a plan agent and a code agent, at a quarter of a dollar.
TEST_F(CannedQueriesTest, SpendIsOfOneCampaignOrOfAllTheDearestFirst) {
  AddOther();
  const auto of = [this](Lookup lookup, const std::string& campaign) {
    return AsLines(
        Must(Look(database_, lookup, {{":campaign", campaign}})).rows);
  };
  EXPECT_THAT(of(Lookup::kSpend, ""),
              ElementsAre("a|code|replay|model|3|3|0|0|0|300|30|0.75",
                          "a|plan|replay|model|3|3|0|0|0|300|30|0.75",
                          "A|code|replay|model|2|2|0|0|0|200|20|0.5",
                          "A|plan|replay|model|2|2|0|0|0|200|20|0.5"));
  EXPECT_EQ(of(Lookup::kSpend, "A").size(), 2u);
  // Two nodes of three were faster than all before, and one of two.
  EXPECT_THAT(of(Lookup::kGains, ""),
              ElementsAre("A|2|1|0|1|1|8", "a|3|1.5|0|2|0.75|4"));
  EXPECT_THAT(of(Lookup::kGains, "a"), ElementsAre("a|3|1.5|0|2|0.75|4"));
}

// Node 4 was made where child 2 of node 1 was left out of its window.
TEST_F(CannedQueriesTest, AWindowShowsItsNodesThenThoseThatWereCut) {
  AddOther();
  Grow(database_, campaign_, NodeId{1},
       {.cut = {{Kinship::kChild, NodeId{2}, NodeId{2}, 1}}});
  EXPECT_THAT(Found(Lookup::kWindow, 3),
              ElementsAre("plan|0|1|selected|1", "plan|-|2|child|0",
                          "code|0|1|selected|1", "code|-|2|child|0"));
  const Parameters code = {
      {":campaign", "a"}, {":d", std::int64_t{3}}, {":role", "code"}};
  EXPECT_THAT(AsLines(Must(Look(database_, Lookup::kWindow, code)).rows),
              ElementsAre("code|0|1|selected|1", "code|-|2|child|0"));
  EXPECT_THAT(
      Answer("what_seen", 4),
      ElementsAre("plan|0|1|selected|passed|2", "code|0|1|selected|passed|2"));
  EXPECT_THAT(Answer("what_cut", 4),
              ElementsAre("plan|2|child|passed|4", "code|2|child|passed|4"));
}

TEST_F(CannedQueriesTest, ASearchLooksIntoTechniquesPlansSourcesAndLogs) {
  AddOther();
  EXPECT_THAT(Found(Lookup::kSearch, 0, "UNROLL"),
              ElementsAre("3|compile_failed|-|unroll|technique"));
  EXPECT_THAT(Found(Lookup::kSearch, 0, "the Loop"),
              ElementsAre("1|passed|2|tile|plan", "2|passed|4|tile|plan",
                          "3|compile_failed|-|unroll|plan"));
  EXPECT_THAT(Found(Lookup::kSearch, 0, "KERNEL 2"),
              ElementsAre("2|passed|4|tile|source"));
  EXPECT_THAT(Found(Lookup::kSearch, 0, "log: compile"),
              ElementsAre("3|compile_failed|-|unroll|log"));
  EXPECT_THAT(Found(Lookup::kSearch, 0, "jam"), IsEmpty());
}

// What was measured last comes first; what limits a node is told as it came.
TEST_F(CannedQueriesTest, ProfilesAreOfAllEvaluations) {
  for (const char* shape : {"N=1", "N=2"}) {
    Evaluation evaluation = EvaluationOf(Verdict::kPassed, 2.0);
    Profile& profile = evaluation.workloads[0].profile.emplace();
    profile.shape = shape;
    profile.runtime_s = 2.0;
    profile.kernels = {{.name = "first", .calls = 1},
                       {.name = "second", .calls = 2}};
    Evaluate(1, evaluation);
  }
  const auto shapes = [](const Sheet& sheet, std::size_t column) {
    std::string all;
    for (const auto& row : sheet.rows) all += Text(row[column]) + " ";
    return all;
  };
  EXPECT_EQ(shapes(At(Lookup::kProfiles, 1), 1), "N=2 N=1 ");
  EXPECT_EQ(shapes(Ask("what_limits", 1), 2), "N=1 N=2 ");
  EXPECT_EQ(shapes(At(Lookup::kKernels, 1), 2), "first second first second ");
}

TEST_F(CannedQueriesTest, AnswersAboutANodeAreOfItAlone) {
  AddOther();
  EXPECT_THAT(Answer("why_failed", 3),
              ElementsAre("3|0|compile_failed|unroll|-|log: compile_failed"));
  EXPECT_THAT(
      Answer("how_got_there", 2),
      ElementsAre("0|0|passed|1|-", "1|1|passed|2|tile", "2|2|passed|4|tile"));
  EXPECT_THAT(Answer("why_chosen", 2),
              ElementsAre("2|1|1|stark|exploit: best eligible"));
  EXPECT_THAT(Answer("best"),
              ElementsAre("1|2|4|-|-|tile", "2|1|2|-|-|tile", "3|0|1|1|1|-"));
  // The root is no improvement on itself, but where all begins.
  EXPECT_THAT(Answer("when_improved"),
              ElementsAre("0|0|0|1", "1|1|1|2", "2|2|2|4"));
}

TEST_F(CannedQueriesTest, FailuresComeByHowOftenTheyAre) {
  AddOther();
  for (const char* technique : {"jam", "fuse"}) {
    Grow(database_, campaign_, kRootNode,
         {.verdict = Verdict::kCrashed, .technique = technique});
  }
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kInconclusive});
  EXPECT_THAT(Answer("failures"),
              ElementsAre("crashed|2|4|jam,fuse", "compile_failed|1|3|unroll"));
}

TEST_F(CannedQueriesTest, CostsAreOfEachRoleAndOfAll) {
  AddOther();
  EXPECT_THAT(Answer("cost"), ElementsAre("code|replay|model|3|300|30|0.75",
                                          "plan|replay|model|3|300|30|0.75",
                                          "all|||6|600|60|1.5"));
  EXPECT_THAT(Answer("cost_of_gains"), ElementsAre("3|2|1.5|0.75|0|4"));
}

// tile doubled the speed of both its parents; jam makes the root 8 times as
// fast; unroll did not compile.
TEST_F(CannedQueriesTest, TechniquesComeByTriesAndByEffect) {
  AddOther();
  Grow(database_, campaign_, kRootNode, {.runtime_s = 0.5, .technique = "jam"});
  EXPECT_THAT(Answer("worked_best"), ElementsAre("jam|1|8|8", "tile|2|2|2"));
  EXPECT_THAT(
      Answer("tried_most"),
      ElementsAre("tile|2|2|2|2|0|0", "unroll|1|0|-|-|-|-", "jam|1|1|8|8|0|0"));
}

TEST_F(CannedQueriesTest, RefutedNodesComeInOrderOfNumber) {
  const CampaignId other = AddOther();
  const Evaluation wrong = EvaluationOf(Verdict::kWrongOutput, std::nullopt);
  Evaluate(1, wrong);
  Evaluate(2, wrong);
  Must(Nodes(database_).AddEvaluation(other, NodeId{1}, wrong, 2000.0));
  EXPECT_THAT(Answer("refuted"),
              ElementsAre("1|wrong_output|2|tile", "2|wrong_output|4|tile"));
}

// The expert is as fast as node 2, torch half as fast.
TEST_F(CannedQueriesTest, BaselinesComeByName) {
  const CampaignId other = AddOther();
  const auto add = [this](CampaignId campaign, const char* name,
                          double runtime_s) {
    Must(AddBaselineEvaluation(database_, campaign, name,
                               EvaluationOf(Verdict::kPassed, runtime_s),
                               2000.0));
  };
  add(campaign_, "torch", 2.0);
  add(campaign_, "expert", 1.0);
  add(other, "expert", 1.0);
  EXPECT_THAT(Answer("experts"), ElementsAre("expert|passed|4|2|4|1|-|-",
                                             "torch|passed|2|2|4|2|-|-"));
}

TEST_F(CannedQueriesTest, RequestsWithoutAnEndComeInTheirOrder) {
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(3, NodeId{1})));
  const CallId call =
      Must(Calls(database_).Begin(attempt, IntentOf(Role::kPlan), {}));
  WireCalls wire(database_);
  WireIntent intent;
  intent.request = "{}";
  intent.output_tokens_bound = 900;
  intent.cost_usd_bound = 2.0;
  const auto end = [&](WireCallId id, CallOutcome outcome) {
    EndedWireCall ended{.call = id, .end = {}};
    ended.end.outcome = outcome;
    ended.end.error = "cut";
    Must(wire.End(ended));
  };
  end(Must(wire.Begin(call, intent, {})), CallOutcome::kUnknown);
  end(Must(wire.Begin(call, intent, {})), CallOutcome::kFailed);
  Must(wire.Begin(call, intent, {}));
  EXPECT_THAT(Answer("unanswered"),
              ElementsAre("1|3|plan|model|outcome_unknown|2|cut",
                          "3|3|plan|model|sent|2|"));
}

// Speeds are known to a fifth: 4 to 2 is told, 2.2 to 2 is not.
TEST_F(CannedQueriesTest, IntervalsTellWhichIsFaster) {
  Damage(directory_.File("x.db"),
         "UPDATE node SET speedup_low = speedup / 1.2,"
         " speedup_high = speedup * 1.2 WHERE number IN (1, 2)");
  EXPECT_EQ(Text(Ask("which_faster", 2, 1).rows[0][5]), "2 is faster");
  EXPECT_EQ(Text(Ask("which_faster", 1, 2).rows[0][5]), "2 is faster");
  EXPECT_EQ(Text(Ask("which_faster", 1, 3).rows[0][5]),
            "one of them did not pass");
  // A half width of ln 1.2 each makes one of sqrt 2 times as much: 1.2941.
  const Sheet told = Ask("which_faster", 2, 1);
  EXPECT_NEAR(std::get<double>(told.rows[0][3]), 2.0 / 1.2941, 1e-4);
  EXPECT_NEAR(std::get<double>(told.rows[0][4]), 2.0 * 1.2941, 1e-4);
  Damage(directory_.File("x.db"),
         "UPDATE node SET speedup = 2.2, speedup_low = 1.9,"
         " speedup_high = 2.6 WHERE number = 2");
  EXPECT_EQ(Text(Ask("which_faster", 2, 1).rows[0][5]),
            "cannot tell them apart");
}

// Nothing is told of one that is not there, whatever else the file holds.
TEST_F(CannedQueriesTest, OfACampaignThatIsNotThereNothingIsTold) {
  AddOther();
  for (int i = 0; i <= static_cast<int>(Lookup::kHasDecision); ++i) {
    for (std::int64_t n = 0; n < 4; ++n) {
      const Sheet sheet = Must(Look(database_, static_cast<Lookup>(i),
                                    {{":campaign", "b"},
                                     {":n", n},
                                     {":d", n},
                                     {":role", ""},
                                     {":text", "t"}}));
      EXPECT_THAT(AsLines(sheet.rows), IsEmpty()) << i << " of node " << n;
    }
  }
}

}  // namespace
}  // namespace coppice::store
