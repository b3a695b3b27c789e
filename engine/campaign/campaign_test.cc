#include "engine/campaign/campaign.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agents/prompt/prompt_context.h"
#include "agents/prompt/prompt_templates.h"
#include "agents/prompt/window.h"
#include "agents/provider/model.h"
#include "agents/provider/test_timer.h"
#include "config/settings.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/outage_listener.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/patient_evaluator.h"
#include "engine/campaign/station.h"
#include "engine/process/clock.h"
#include "search/policy.h"
#include "store/care/maintenance.h"
#include "store/fault.h"
#include "store/read/history.h"
#include "store/records/node.h"
#include "store/records/tier.h"
#include "store/scratch.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {
namespace fs = std::filesystem;

class StillClock final : public Clock {
 public:
  double UnixSeconds() const override { return 1e9 + now_s; }
  double Monotonic() const override { return now_s; }
  double now_s = 0.0;
};

// Marks the whole source and answers it with one line more.  A kernel is its
// count of lines: "root\n", "root\nline\n", ...
class ScriptedModel final : public agents::Model {
 public:
  std::string_view Provider() const override { return "scripted"; }
  std::string_view ModelName() const override { return "test"; }

  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    ++asked[request.role];
    prompts.push_back(request.user_prompt);
    if (down > 0) {
      --down;
      return Fail(Errc::kUnavailable, "scripted: the line is down");
    }
    const std::string& source = request.context->selected.source;
    if (fail_role == request.role) {
      fail_role.reset();
      return Fail(Errc::kUnavailable, "scripted: the line is down");
    }
    switch (request.role) {
      case Role::kPlan:
        return Answer(
            "Add a line.\nTechnique: grow\n",
            "// <<<IMPROVE BEGIN>>>\n" + source + "// <<<IMPROVE END>>>\n");
      case Role::kCode:
        if (mute > 0) {
          --mute;
          down = down_after_mute;
          return agents::ModelAnswer{"I would rather not.", {}, 0.0};
        }
        if (cut) {
          auto answer = Answer("", source);
          answer.fault = "cut";
          return answer;
        }
        if (numbers) {
          const std::int64_t decision = request.context->decision;
          return Answer("", source + "line " + std::to_string(decision) + "\n");
        }
        return Answer("", source + next_line);
      case Role::kDebug:
        return Answer("", source + "repaired\n");
    }
    return Fail(Errc::kCorrupt, "scripted: unknown role");
  }

  std::map<Role, int> asked;
  int down = 0;  // So many calls fail.
  std::optional<Role> fail_role;
  int mute = 0;             // So many answers hold no code,
  int down_after_mute = 0;  // and then so many calls fail.
  std::vector<std::string> prompts;
  bool cut = false;
  std::string next_line = "line\n";
  bool numbers = false;  // Each line has the number of its decision.

 private:
  static agents::ModelAnswer Answer(const std::string& prose,
                                    const std::string& source) {
    return {prose + "```cpp\n" + source + "```\n", {10, 0, 5}, 0.25};
  }
};

// A second for the root, and less by each line; "broken" does not compile
// until it is "repaired".
class LineEvaluator final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier tier) override {
    if (full > 0) {
      --full;
      if (is_full) is_full();
      return Fail(Errc::kFull, "cache: disk full");
    }
    ++evaluations;
    if (evaluated) evaluated();
    Evaluation evaluation;
    evaluation.check_s = check_s;
    evaluation.tier = tier;
    const bool broken = candidate.source.find("broken") != std::string::npos &&
                        candidate.source.find("repaired") == std::string::npos;
    if (broken || candidate.source.empty()) {
      evaluation.verdict = Verdict::kCompileFailed;
      evaluation.log = "kernel.cc:1: broken";
      return evaluation;
    }
    const auto lines = static_cast<double>(
        std::count(candidate.source.begin(), candidate.source.end(), '\n'));
    const bool is_one_of_two = lines == 2 && unsure_of_two > 0;
    if (is_one_of_two) --unsure_of_two;
    if (is_one_of_two || (is_unsure && is_unsure(candidate))) {
      evaluation.verdict = Verdict::kInconclusive;
      return evaluation;
    }
    evaluation.verdict = Verdict::kPassed;
    WorkloadResult& result = evaluation.workloads.emplace_back();
    result.workload = "w";
    result.verdict = Verdict::kPassed;
    result.samples_s = {1.0 / lines};
    // Luck: what the fast tier saw of four lines and more, the full tier does
    // not.
    if (tier == Tier::kFull && lines >= 4 && lines <= most_luck) {
      result.samples_s = {2.0};
    }
    result.root_samples_s = {1.0};
    if (const double factor = TileFactor(candidate.source); factor > 0.0) {
      result.samples_s.assign(9, factor / lines);  // Enough to be told apart.
      result.root_samples_s.assign(9, 1.0);
    }
    Summarise(evaluation);
    return evaluation;
  }
  // The part of the time that is left with the source's TILE; 0: it has none.
  static double TileFactor(const std::string& source) {
    if (source.find("TILE = 4;") != std::string::npos) return 0.5;
    if (source.find("TILE = 8;") != std::string::npos) return 2.0;
    return source.find("TILE = 2;") != std::string::npos ? 1.0 : 0.0;
  }
  int evaluations = 0;
  double most_luck = 4.0;  // So many lines are lucky at most.
  int unsure_of_two = 0;   // So many of two lines are inconclusive.
  std::function<bool(const Candidate&)> is_unsure{};
  int full = 0;                       // So many find no room,
  std::function<void()> is_full{};    // and say so.
  std::function<void()> evaluated{};  // Told of each.
  double check_s = 0.0;
};

class Watcher final : public Observer {
 public:
  void OnCommit(const Progress& progress, const NodeRecord& node) override {
    last = progress;
    verdicts.emplace_back(Name(node.worth.verdict));
    if (clock != nullptr) clock->now_s += 1.0;
    if (committed) committed();
  }
  void OnUnanswered(const Progress&, std::int64_t decision,
                    const Error&) override {
    put_off.push_back(decision);
    if (clock != nullptr) clock->now_s += 1.0;
  }
  void OnConfirm(const Progress&, NodeId leader) override {
    confirmed.push_back(leader);
    if (stop != nullptr) *stop = true;
  }
  Progress last;
  std::vector<std::string> verdicts;
  std::vector<NodeId> confirmed;
  std::vector<std::int64_t> put_off;
  std::function<void()> committed{};
  StillClock* clock = nullptr;        // Advanced by a second at each.
  std::atomic<bool>* stop = nullptr;  // Set when a leader is measured again.
};

class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ =
        fs::path(testing::TempDir()) /
        (std::string(
             testing::UnitTest::GetInstance()->current_test_info()->name()) +
         ".db");
    RemoveFiles();
    task_.definition.name = "lines";
    task_.root.sources = {{"kernel.cc", "root\n"}};
    task_.root.entry_file = "kernel.cc";
    task_.root.entry_symbol = "run";
    auto database = store::Database::Open(path_, store::Access::kCreate);
    ASSERT_TRUE(database.has_value()) << database.error().what;
    database_.emplace(std::move(*database));
    auto prompts = agents::PromptTemplates::Load(fs::path(COPPICE_SOURCE_DIR) /
                                                 "data" / "prompts");
    ASSERT_TRUE(prompts.has_value()) << prompts.error().what;
    prompts_.emplace(std::move(*prompts));
    auto policy = search::MakePolicy("greedy");
    ASSERT_TRUE(policy.has_value());
    policy_ = std::move(*policy);
  }
  void TearDown() override {
    database_.reset();
    RemoveFiles();
  }
  void RemoveFiles() {
    for (const char* suffix : {"", "-wal", "-shm", "-run"}) {
      fs::remove(path_.string() + suffix);
    }
  }

  // Runs the campaign "c", making it at first.
  Result<Ending> Run(std::int64_t budget,
                     std::optional<double> budget_s = std::nullopt) {
    store::Campaigns campaigns(*database_);
    TRY(before, campaigns.List());
    if (before.empty()) {
      store::CampaignSpec spec;
      spec.uuid = FreshUuid(clock_);
      spec.name = "c";
      spec.task_name = "lines";
      spec.task_json = "{}";
      spec.policy = "greedy";
      spec.seed = 7;
      spec.budget_attempts = budget;
      spec.budget_s = budget_s;
      TRY_DONE(campaigns.Create(spec));
    }
    TRY(rows, campaigns.List());
    const Agent agent{&model_, {}, may_repair_};
    const CampaignParts parts{
        *database_, task_,     *policy_,          agent,  agent,
        agent,      *prompts_, {{&patient_, ""}}, clock_, {5, 2},
        "test",     1,         agents_,           {},     budget_evaluator_s_,
        {},         {},        tuning_trials_};
    Campaign::Options options{path_, 60.0, &drain_, confirm_};
    options.model_failures = model_failures_;
    options.outages = &outages_;
    Campaign campaign(parts, rows.at(0), options);
    auto ending = campaign.Run(watcher_);
    is_confirmed_ = campaign.is_confirmed();
    return ending;
  }

  std::vector<std::int64_t> Leaders() {
    std::vector<std::int64_t> nodes;
    const auto leaders = store::ReadLeaders(*database_, CampaignId{1});
    EXPECT_TRUE(leaders.has_value());
    for (const store::Leader& leader : *leaders) {
      nodes.push_back(Index(leader.line.node));
    }
    return nodes;
  }

  NodeRecord Load(std::int64_t node) {
    auto loaded = store::Nodes(*database_).Load(CampaignId{1}, NodeId{node});
    EXPECT_TRUE(loaded.has_value());
    return loaded.value_or(NodeRecord{});
  }

  fs::path path_;
  Task task_;
  StillClock clock_;
  ScriptedModel model_;
  LineEvaluator evaluator_;
  Watcher watcher_;
  config::Agents agents_ = config::Agents::kTeam;
  std::optional<double> budget_evaluator_s_;
  std::int64_t tuning_trials_ = 0;
  std::optional<int> model_failures_ = 3;
  std::atomic<bool> drain_{false};
  agents::FakeTimer timer_;
  Outages outages_{timer_, drain_};
  PatientEvaluator patient_{evaluator_, outages_};
  bool confirm_ = false;
  bool may_repair_ = false;
  bool is_confirmed_ = false;
  std::optional<store::Database> database_;
  std::optional<agents::PromptTemplates> prompts_;
  std::unique_ptr<search::Policy> policy_;
};

// Greedy works on the best node each time: 1, 2, 3, 4 lines.
TEST_F(CampaignTest, EachAttemptAddsOneNodeUntilTheBudgetIsSpent) {
  const auto ending = Run(3);
  ASSERT_TRUE(ending.has_value()) << ending.error().what;
  EXPECT_EQ(*ending, Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.last.attempts, 3);
  EXPECT_EQ(watcher_.last.best, NodeId{3});
  EXPECT_DOUBLE_EQ(watcher_.last.best_speedup.ratio, 4.0);
  const NodeRecord last = Load(3);
  EXPECT_EQ(last.candidate->source, "root\nline\nline\nline\n");
  EXPECT_EQ(last.parent, NodeId{2});
  EXPECT_EQ(last.plan->technique, "grow");
  EXPECT_TRUE(last.plan->grounded);
  EXPECT_EQ(model_.asked[Role::kPlan], 3);
  EXPECT_EQ(model_.asked[Role::kDebug], 0);
}

TEST_F(CampaignTest, ARootThatFailsEndsTheCampaignWithItsLog) {
  task_.root.sources = {{"kernel.cc", "broken\n"}};
  const auto ending = Run(3);
  ASSERT_FALSE(ending.has_value());
  EXPECT_EQ(ending.error().what,
            "lines: its root does not pass (compile_failed): "
            "kernel.cc:1: broken");
  EXPECT_TRUE(watcher_.verdicts.empty());
}

// Best-of-K with a failing child leaves it alone; reflexion goes on from it.
TEST_F(CampaignTest, AFailingNodeGoesToTheDebugAgentAndKeepsItsPlan) {
  policy_ = std::move(*search::MakePolicy("reflexion"));
  model_.next_line = "broken\n";
  ASSERT_TRUE(Run(2).has_value());
  EXPECT_EQ(watcher_.verdicts,
            (std::vector<std::string>{"passed", "compile_failed", "passed"}));
  EXPECT_EQ(model_.asked[Role::kPlan], 1);
  EXPECT_EQ(model_.asked[Role::kDebug], 1);
  const NodeRecord repaired = Load(2);
  EXPECT_EQ(repaired.parent, NodeId{1});
  EXPECT_EQ(repaired.candidate->source, "root\nbroken\nrepaired\n");
  EXPECT_EQ(repaired.plan->technique, "grow");
}

// Passed or failed, the code agent goes on from its last attempt by itself.
TEST_F(CampaignTest, AnAgentThatIsAloneIsAskedOnceForEachAttempt) {
  policy_ = std::move(*search::MakePolicy("reflexion"));
  agents_ = config::Agents::kAlone;
  model_.next_line = "broken\n";
  ASSERT_TRUE(Run(2).has_value());
  EXPECT_EQ(
      watcher_.verdicts,
      (std::vector<std::string>{"passed", "compile_failed", "compile_failed"}));
  EXPECT_EQ(model_.asked, (std::map<Role, int>{{Role::kCode, 2}}));
  const NodeRecord last = Load(2);
  EXPECT_EQ(last.candidate->source, "root\nbroken\nbroken\n");
  EXPECT_FALSE(last.plan.has_value());
}

TEST_F(CampaignTest, AnAnswerWithoutCodeIsANodeWithoutCandidate) {
  model_.mute = 1;
  ASSERT_TRUE(Run(1).has_value());
  const NodeRecord node = Load(1);
  EXPECT_EQ(node.evaluation.verdict, Verdict::kNoCandidate);
  EXPECT_FALSE(node.candidate.has_value());
  EXPECT_TRUE(node.evaluation.log.starts_with("code agent: "));
  EXPECT_EQ(evaluator_.evaluations, 1);  // Of the root.
}

TEST_F(CampaignTest, AnAnswerThatCannotBeReadIsAskedForOnceMore) {
  may_repair_ = true;
  model_.mute = 1;
  ASSERT_TRUE(Run(1).has_value());
  EXPECT_EQ(Load(1).evaluation.verdict, Verdict::kPassed);
  EXPECT_EQ(model_.asked,
            (std::map<Role, int>{{Role::kPlan, 1}, {Role::kCode, 2}}));
  const std::string& again = model_.prompts.back();
  EXPECT_TRUE(again.starts_with(model_.prompts[1]));
  EXPECT_NE(again.find("I would rather not."), again.npos);
  const auto totals = store::ReadTotals(*database_, CampaignId{1});
  EXPECT_EQ(totals.value().output_tokens, 10);  // Of plan and second code.
}

TEST_F(CampaignTest, TwoAnswersThatCannotBeReadAreEnough) {
  may_repair_ = true;
  model_.mute = 2;
  ASSERT_TRUE(Run(1).has_value());
  EXPECT_EQ(Load(1).evaluation.verdict, Verdict::kNoCandidate);
  EXPECT_EQ(model_.asked[Role::kCode], 2);
}

// What was answered before is not asked again, be it of no use.
TEST_F(CampaignTest, ARepairIsContinuedWhereItsModelFailed) {
  may_repair_ = true;
  model_.mute = 1;
  model_.down_after_mute = 3;
  ASSERT_FALSE(Run(1).has_value());
  ASSERT_TRUE(Run(1).has_value());
  EXPECT_EQ(Load(1).evaluation.verdict, Verdict::kPassed);
  // The plan, the code, its repair that failed three times, and that again.
  ASSERT_EQ(model_.prompts.size(), 6u);
  for (const std::size_t i : {3u, 4u, 5u}) {
    EXPECT_EQ(model_.prompts[i], model_.prompts[2]);
  }
  EXPECT_NE(model_.prompts[2], model_.prompts[1]);
}

// Decisions 0 and 1 meet it and are put off until 2 is done.
TEST_F(CampaignTest, AnOutageCostsAttemptsTheirPlaceAndNothingElse) {
  may_repair_ = true;
  model_.down = 2;
  EXPECT_EQ(Run(3).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.put_off, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(
      store::Rows(*database_, "SELECT decision FROM attempts ORDER BY node"),
      (std::vector<std::string>{"2", "0", "1"}));
  EXPECT_EQ(store::Rows(*database_,
                        "SELECT decision, outcome, error FROM calls"
                        " WHERE outcome <> 'answered'"),
            (std::vector<std::string>{"0|failed|scripted: the line is down",
                                      "1|failed|scripted: the line is down"}));
}

TEST_F(CampaignTest, AnOutageThatLastsEndsTheRunWhichGoesOnLater) {
  may_repair_ = true;
  model_.down = 3;
  const auto ending = Run(5);
  ASSERT_FALSE(ending.has_value());
  EXPECT_EQ(ending.error().code, Errc::kUnanswered);
  EXPECT_EQ(ending.error().what,
            "scripted: the line is down; 3 attempts in a row got no answer");
  EXPECT_EQ(Run(5).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.last.attempts, 5);
  EXPECT_EQ(model_.asked[Role::kPlan], 3 + 5);
}

// Ten in a row: pauses of 0.5, 1, 2, ... 256 s, and none that is longer than
// 300.  After three no other is begun, so decisions 0 to 2 take turns.
TEST_F(CampaignTest, WithoutALimitAnOutageIsWaitedForHoweverLong) {
  may_repair_ = true;
  model_failures_.reset();
  model_.down = 12;
  std::vector<std::string> told;
  const OutageListener listener(outages_, [&](const Outage& outage) {
    told.push_back(OutageText(outage));
  });
  EXPECT_EQ(Run(5).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.last.attempts, 5);
  EXPECT_EQ(watcher_.put_off, (std::vector<std::int64_t>{0, 1, 2}));
  double waited_s = 0.0;
  for (const double wait_s : timer_.Waits()) waited_s += wait_s;
  EXPECT_DOUBLE_EQ(waited_s, 511.5 + 300 + 300);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0],
            "scripted: the line is down; waiting for 0:06 now, and going on by "
            "itself once that is over (Ctrl-C stops it, and nothing is lost)");
  // At 5.5 s, and then once a minute until 1111.5 s: 1 + 18.
  EXPECT_EQ(told.size(), 19u);
}

// The evaluator has no room twice, and the attempt is judged all the same.
TEST_F(CampaignTest, AFullDiskIsNoVerdictAndWaitedFor) {
  evaluator_.full = 2;
  EXPECT_EQ(Run(2).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.verdicts,
            (std::vector<std::string>{"passed", "passed", "passed"}));
  EXPECT_EQ(timer_.Waits().size(), 2u);
}

TEST_F(CampaignTest, WhoStopsWhileTheDiskIsFullLosesNothing) {
  ASSERT_TRUE(Run(1).has_value());
  ASSERT_TRUE(store::Campaigns(*database_)
                  .SetBudget(CampaignId{1}, 2, std::nullopt)
                  .has_value());
  evaluator_.full = 1'000'000;
  evaluator_.is_full = [this] { drain_ = true; };
  EXPECT_EQ(Run(2).value(), Ending::kDrained);
  evaluator_.full = 0;
  drain_ = false;
  model_.asked.clear();
  EXPECT_EQ(Run(2).value(), Ending::kBudgetSpent);
  EXPECT_TRUE(model_.asked.empty());
  EXPECT_EQ(watcher_.last.attempts, 2);
}

// Two more after the first node: not four in a row.
TEST_F(CampaignTest, AnAnswerEndsTheRowOfThoseWithout) {
  may_repair_ = true;
  model_.down = 2;
  watcher_.committed = [this] {
    if (watcher_.last.attempts == 1) model_.down = 2;
  };
  EXPECT_EQ(Run(6).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.put_off, (std::vector<std::int64_t>{0, 1, 3, 4}));
}

// The plan and the half of a kernel cost 0.25 each; the campaign goes on.
TEST_F(CampaignTest, HalfAnAnswerIsPaidForButHoldsNoCandidate) {
  model_.cut = true;
  ASSERT_TRUE(Run(1).has_value());
  EXPECT_EQ(Load(1).evaluation.verdict, Verdict::kNoCandidate);
  EXPECT_EQ(Load(1).evaluation.log, "code agent: cut");
  const auto totals = store::ReadTotals(*database_, CampaignId{1});
  ASSERT_TRUE(totals.has_value());
  EXPECT_DOUBLE_EQ(totals->cost_usd, 0.5);
  EXPECT_EQ(totals->output_tokens, 10);
}

TEST_F(CampaignTest, AnAttemptIsContinuedWhereItsModelFailed) {
  ASSERT_TRUE(Run(1).has_value());
  model_.asked.clear();
  store::Campaigns campaigns(*database_);
  ASSERT_TRUE(campaigns.SetBudget(CampaignId{1}, 3, std::nullopt).has_value());
  model_.down = 1;
  const auto broken = Run(3);
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().what, "scripted: the line is down");
  EXPECT_EQ(campaigns.List().value().at(0).state,
            store::CampaignState::kPaused);
  const auto ending = Run(3);
  ASSERT_TRUE(ending.has_value()) << ending.error().what;
  // Two attempts: one plan call that failed, and one good one each.
  EXPECT_EQ(model_.asked[Role::kPlan], 3);
  EXPECT_EQ(model_.asked[Role::kCode], 2);
  EXPECT_EQ(Load(3).parent, NodeId{2});
}

// The fast tier puts four lines first, the full tier last: three stay the best.
TEST_F(CampaignTest, WhoWouldBeBestMustProveItBeforeItIsCommitted) {
  confirm_ = true;
  ASSERT_TRUE(Run(3).has_value());
  EXPECT_EQ(Load(2).evaluation.tier, Tier::kFull);
  EXPECT_EQ(Load(3).evaluation.runtime_s, 2.0);
  EXPECT_EQ(watcher_.last.best, NodeId{2});
  EXPECT_TRUE(watcher_.confirmed.empty());  // Nothing is left to prove.
  EXPECT_TRUE(is_confirmed_);
  // 3x, 2x; and 4x and 0.5x, which pool to 1.41x.
  EXPECT_EQ(Leaders(), (std::vector<std::int64_t>{2, 1, 3, 0}));
  const auto evaluations =
      store::ReadEvaluations(*database_, CampaignId{1}, NodeId{3});
  ASSERT_EQ(evaluations.value().size(), 2u);
  EXPECT_EQ(evaluations.value()[0].runtime_s, 0.25);  // The screening.
}

// Two lines again, in other words no faster than those before.
TEST_F(CampaignTest, WhoIsNotFasterThanTheBestNeedNotProveIt) {
  confirm_ = true;
  policy_ = std::move(*search::MakePolicy("best_of_k"));
  watcher_.committed = [this] {
    if (watcher_.last.attempts == 1) model_.next_line = "another\n";
  };
  ASSERT_TRUE(Run(2).has_value());
  EXPECT_EQ(Load(1).evaluation.tier, Tier::kFull);
  EXPECT_EQ(Load(2).evaluation.tier, Tier::kFast);
}

TEST_F(CampaignTest, AKernelOfEqualTokensIsNotJudgedAgain) {
  policy_ = std::move(*search::MakePolicy("best_of_k"));
  ASSERT_TRUE(Run(3).has_value());
  EXPECT_EQ(evaluator_.evaluations, 2);  // The root, and two lines.
  EXPECT_EQ(Load(3).same_as, NodeId{1});
  EXPECT_DOUBLE_EQ(Load(3).worth.speedup->ratio, 2.0);
  EXPECT_EQ(Leaders(), (std::vector<std::int64_t>{1, 0}));
  EXPECT_NE(model_.prompts.back().find("same tokens as node 1"),
            std::string::npos);
}

// The clock of line counts is unsure of whatever has two lines, twice.
TEST_F(CampaignTest, WhatIsInconclusiveIsMeasuredAgainAndFailsNothing) {
  confirm_ = true;
  evaluator_.unsure_of_two = 2;
  ASSERT_TRUE(Run(2).has_value());
  EXPECT_EQ(watcher_.verdicts, (std::vector<std::string>{
                                   "passed", "inconclusive", "inconclusive"}));
  EXPECT_EQ(model_.asked[Role::kDebug], 0);
  EXPECT_EQ(watcher_.confirmed.front(), NodeId{1});
  EXPECT_EQ(Load(1).worth.verdict, Verdict::kPassed);
  EXPECT_EQ(evaluator_.unsure_of_two, 0);
}

// Its tokens come again before the campaign ends: then it is decided first.
TEST_F(CampaignTest, WhatComesAgainIsDecidedFirst) {
  policy_ = std::move(*search::MakePolicy("best_of_k"));
  evaluator_.unsure_of_two = 1;
  ASSERT_TRUE(Run(2).has_value());
  EXPECT_EQ(evaluator_.evaluations, 3);
  EXPECT_EQ(Load(2).same_as, NodeId{1});
  EXPECT_EQ(Load(2).worth.verdict, Verdict::kPassed);
  EXPECT_EQ(Load(1).worth.verdict, Verdict::kPassed);
}

// Nine attempts at the same two lines, which nothing decides: four evaluations
// of them, and one of the root.
TEST_F(CampaignTest, WhatComesAgainAndAgainIsMeasuredFourTimesInAll) {
  policy_ = std::move(*search::MakePolicy("best_of_k"));
  evaluator_.unsure_of_two = 1000;
  ASSERT_TRUE(Run(9).has_value());
  EXPECT_EQ(evaluator_.evaluations, 1 + 4);
  EXPECT_EQ(Load(9).same_as, NodeId{1});
  EXPECT_EQ(Load(9).worth.verdict, Verdict::kInconclusive);
}

// Killed at any commit point of its own, and resumed.
class DyingCampaignTest : public CampaignTest {
 protected:
  void Open() { database_.emplace(store::NewFile(path_)); }

  // Whoever has three lines and more is inconclusive until the file holds so
  // many evaluations of it: the judge itself remembers nothing.
  void BeUnsureUntil(std::size_t evaluations) {
    evaluator_.is_unsure = [this, evaluations](const Candidate& candidate) {
      if (std::ranges::count(candidate.source, '\n') < 3) return false;
      const CampaignId campaign{1};
      const auto judged =
          store::Must(store::Nodes(*database_).FindEqual(campaign, candidate));
      return !judged ||
             store::Must(store::ReadEvaluations(*database_, campaign, *judged))
                     .size() < evaluations;
    };
  }

  void Begin() {
    database_.reset();
    RemoveFiles();
  }

  // Whether a process that runs it from its beginning died there.
  bool DiesAt(std::int64_t point, std::int64_t budget) {
    Begin();
    const pid_t child = fork();
    if (child == 0) {
      store::SetCommitHook([left = point](store::CommitPoint) mutable {
        if (left-- == 0) (void)std::raise(SIGKILL);
      });
      Open();
      _exit(Run(budget) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    Open();
    return WIFSIGNALED(status);
  }

  std::string Tree() {
    return store::Must(store::Fingerprint(*database_, CampaignId{1}));
  }

  // The node and verdict of each further evaluation, in the order made.
  std::vector<std::string> Further() {
    return store::Rows(*database_,
                       "SELECT node_number, verdict FROM evaluation"
                       " WHERE further IS NOT NULL ORDER BY further");
  }

  void ExpectDyingLeavesTheSame(std::int64_t budget) {
    Begin();
    Open();
    ASSERT_TRUE(Run(budget).has_value());
    const std::string expected = Tree();
    const std::vector<std::string> further = Further();
    EXPECT_FALSE(further.empty());
    // An attempt has twelve or so, of which five meets each in time.
    std::int64_t point = 3;
    for (; DiesAt(point, budget) && !HasFailure(); point += 5) {
      ASSERT_TRUE(Run(budget).has_value());
      EXPECT_EQ(Tree(), expected) << "at point " << point;
      EXPECT_EQ(Further(), further) << "at point " << point;
    }
    // Reserve, plan, code and node each have commits, before and after.
    EXPECT_GT(point, 2 * 4 * budget);
  }
};

// Nodes are settled once there are five, and ten: whoever is killed between
// these must not settle one in between, since what passes may be selected.
TEST_F(DyingCampaignTest, WhatIsSettledInPassingIsSettledAtTheSameNode) {
  policy_ = std::move(*search::MakePolicy("stark:epsilon=1"));
  model_.numbers = true;
  BeUnsureUntil(1);
  ExpectDyingLeavesTheSame(12);
}

// Greedy writes the same three lines until their fourth evaluation passes.
TEST_F(DyingCampaignTest, WhatComesAgainIsMeasuredOnceByEachAttempt) {
  BeUnsureUntil(3);
  ExpectDyingLeavesTheSame(6);
}

// Four lines led by luck; three lines, the second leader, hold their 3x.
TEST_F(CampaignTest, TheWinnerIsTheLeaderThatHoldsItsSpeedWhenMeasuredAgain) {
  ASSERT_TRUE(Run(3).has_value());
  EXPECT_FALSE(is_confirmed_);
  confirm_ = true;
  ASSERT_TRUE(Run(3).has_value());
  EXPECT_EQ(watcher_.confirmed, (std::vector{NodeId{3}, NodeId{2}}));
  EXPECT_TRUE(is_confirmed_);
  EXPECT_EQ(Leaders(), (std::vector<std::int64_t>{2, 1, 3, 0}));
}

TEST_F(CampaignTest, DrainingBeginsNoFurtherAttempt) {
  drain_ = true;
  const auto drained = Run(3);
  ASSERT_TRUE(drained.has_value());
  EXPECT_EQ(*drained, Ending::kDrained);
  EXPECT_EQ(watcher_.verdicts.size(), 1u);  // The root.
  drain_ = false;
  EXPECT_EQ(Run(3).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.last.attempts, 3);
}

// Four lucky ones lead in turn, each less fast than three lines once it was
// measured again.  The fifth time it is their turn, and no other follows.
TEST_F(CampaignTest, TheLastLeaderToBeMeasuredAgainIsConfirmed) {
  ASSERT_TRUE(Run(6).has_value());
  confirm_ = true;
  evaluator_.most_luck = 7.0;
  ASSERT_TRUE(Run(6).has_value());
  EXPECT_EQ(watcher_.confirmed, (std::vector{NodeId{6}, NodeId{5}, NodeId{4},
                                             NodeId{3}, NodeId{2}}));
  EXPECT_TRUE(is_confirmed_);
}

// It is no worse than by definition, but nothing has confirmed it.
TEST_F(CampaignTest, ARootThatNothingBeatsIsNotConfirmed) {
  confirm_ = true;
  ASSERT_TRUE(Run(0).has_value());
  EXPECT_FALSE(is_confirmed_);
  EXPECT_TRUE(watcher_.confirmed.empty());
}

// Stopped while the first of two leaders is measured again: the winner is not
// known yet, and the campaign not finished.
TEST_F(CampaignTest, DrainingMeasuresNoFurtherLeader) {
  ASSERT_TRUE(Run(3).has_value());
  confirm_ = true;
  watcher_.stop = &drain_;
  EXPECT_EQ(Run(3).value(), Ending::kDrained);
  EXPECT_EQ(watcher_.confirmed, (std::vector{NodeId{3}}));
  EXPECT_FALSE(is_confirmed_);
  const auto rows = store::Campaigns(*database_).List();
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->at(0).state, store::CampaignState::kPaused);
  watcher_.stop = nullptr;
  drain_ = false;
  EXPECT_EQ(Run(3).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.confirmed, (std::vector{NodeId{3}, NodeId{2}}));
  EXPECT_TRUE(is_confirmed_);
}

// Each takes the evaluator two seconds, the root not counted: before the third
// four of five are used, after it six.
TEST_F(CampaignTest, WhenTheEvaluatorsTimeIsUsedNoFurtherAttemptBegins) {
  evaluator_.check_s = 2.0;
  budget_evaluator_s_ = 5.0;
  EXPECT_EQ(Run(10).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.last.attempts, 3);
  EXPECT_EQ(Run(10).value(), Ending::kBudgetSpent);
  EXPECT_EQ(evaluator_.evaluations, 4);
  budget_evaluator_s_ = 7.0;
  EXPECT_EQ(Run(10).value(), Ending::kBudgetSpent);
  EXPECT_EQ(evaluator_.evaluations, 5);
}

constexpr const char* kOpen = "int TILE = 2;  //@ tune 2 4 8\n";

// Node 1 has two lines, 2 x as fast as the root, with TILE = 4 4 x, and with 8
// as fast as it.  The evaluator, which takes 2 s each time, is asked three
// times.
TEST_F(CampaignTest, NumbersLeftOpenAreTunedBeforeTheNodeIsCommitted) {
  evaluator_.check_s = 2.0;
  tuning_trials_ = 8;
  model_.next_line = kOpen;
  ASSERT_TRUE(Run(1).has_value());
  const NodeRecord node = Load(1);
  EXPECT_EQ(node.candidate->source, "root\nint TILE = 4;  //@ tune 2 4 8\n");
  EXPECT_DOUBLE_EQ(node.worth.speedup->ratio, 4.0);
  EXPECT_EQ(store::Rows(*database_,
                        "SELECT ordinal, configuration, verdict,"
                        " round(speedup, 6), evaluator_s, chosen"
                        " FROM tuning_trials WHERE node = 1"),
            (std::vector<std::string>{"0|TILE=2|passed|2|2|0",
                                      "1|TILE=4|passed|4|2|1",
                                      "2|TILE=8|passed|1|2|0"}));
  EXPECT_EQ(evaluator_.evaluations, 4);  // The root's, too.
  EXPECT_EQ(store::Rows(*database_, "SELECT evaluator_s FROM campaign"),
            (std::vector<std::string>{"6"}));
  const auto findings = store::Diagnose(*database_);
  ASSERT_TRUE(findings.has_value());
  EXPECT_EQ(findings->size(), 0u);
}

// Best of K begins at the root twice, and its agent says the same twice.
TEST_F(CampaignTest, WhatWasTunedOnceIsNotTunedAgain) {
  policy_ = std::move(*search::MakePolicy("best_of_k"));
  tuning_trials_ = 8;
  model_.next_line = kOpen;
  ASSERT_TRUE(Run(2).has_value());
  EXPECT_EQ(evaluator_.evaluations, 4);
  const NodeRecord repeated = Load(2);
  EXPECT_EQ(repeated.same_as, NodeId{1});
  EXPECT_EQ(repeated.candidate->source,
            "root\nint TILE = 4;  //@ tune 2 4 8\n");
  EXPECT_TRUE(repeated.trials.empty());
  const auto findings = store::Diagnose(*database_);
  ASSERT_TRUE(findings.has_value());
  EXPECT_EQ(findings->size(), 0u);
}

TEST_F(CampaignTest, AWrongDeclarationIsToldAndHurtsNothing) {
  tuning_trials_ = 8;
  model_.next_line = "int TILE = 2;  //@ tune 4 8\n";
  ASSERT_TRUE(Run(1).has_value());
  EXPECT_EQ(Load(1).worth.verdict, Verdict::kPassed);
  EXPECT_EQ(Load(1).evaluation.log,
            "not tuned: line 2: 2, which TILE is, is not among its choices\n");
  EXPECT_EQ(evaluator_.evaluations, 2);
}

// Stopped after the second of four evaluations, it is tuned anew when it goes
// on, and comes to the same.
TEST_F(CampaignTest, AStopWhileTuningLeavesTheAttemptToBeTunedAnew) {
  tuning_trials_ = 8;
  model_.next_line = kOpen;
  evaluator_.evaluated = [&] { drain_ = evaluator_.evaluations == 3; };
  EXPECT_EQ(Run(1).value(), Ending::kDrained);
  EXPECT_EQ(store::Rows(*database_, "SELECT count(*) FROM nodes"),
            (std::vector<std::string>{"1"}));
  evaluator_.evaluated = {};
  drain_ = false;
  EXPECT_EQ(Run(1).value(), Ending::kBudgetSpent);
  EXPECT_EQ(model_.asked[Role::kCode], 1);
  EXPECT_EQ(Load(1).candidate->source, "root\nint TILE = 4;  //@ tune 2 4 8\n");
  EXPECT_EQ(Load(1).trials.size(), 3u);
}

// The root and each attempt take a second: of four seconds the root uses one,
// and three attempts begin before the budget is spent.
TEST_F(CampaignTest, SecondsAreABudgetToo) {
  watcher_.clock = &clock_;
  EXPECT_EQ(Run(100, 4.0).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.last.attempts, 3);
  // Time used is remembered: nothing is left for another process.
  EXPECT_EQ(Run(100, 4.0).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.last.attempts, 3);
}

// The root and three attempts without an answer take a second each.  Then the
// time is over, and its model still away: it is asked again by who goes on.
TEST_F(CampaignTest, TimeEndsACampaignWhoseModelIsAway) {
  may_repair_ = true;
  model_failures_.reset();
  model_.down = 1'000'000;
  watcher_.clock = &clock_;
  EXPECT_EQ(Run(100, 4.0).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.put_off, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(store::Rows(*database_, "SELECT state FROM campaigns"),
            (std::vector<std::string>{"paused"}));
  model_.down = 0;
  EXPECT_EQ(Run(100, 4.0).value(), Ending::kBudgetSpent);
  EXPECT_EQ(watcher_.last.attempts, 3);
  EXPECT_EQ(store::Rows(*database_, "SELECT state FROM campaigns"),
            (std::vector<std::string>{"finished"}));
}

// Nodes 0 to 3 have 1 to 4 lines; 3 is put in quarantine.  Greedy, which would
// have gone on from it, goes on from 2, and so it does after every restart.
TEST_F(CampaignTest, PoliciesSeeAQuarantinedNodeAsFailed) {
  ASSERT_TRUE(Run(3).has_value());
  Evaluation refuted;
  refuted.verdict = Verdict::kWrongOutput;
  refuted.tier = Tier::kFull;
  store::Nodes nodes(*database_);
  ASSERT_TRUE(nodes.AddEvaluation(CampaignId{1}, NodeId{3}, refuted, 2e9));
  store::Campaigns campaigns(*database_);
  for (const std::int64_t budget : {4, 5}) {
    ASSERT_TRUE(
        campaigns.SetBudget(CampaignId{1}, budget, std::nullopt).has_value());
    ASSERT_TRUE(Run(budget).has_value());
  }
  EXPECT_EQ(Load(4).parent, NodeId{2});
  // It proposes again, in vain, what was refuted.
  EXPECT_EQ(Load(4).same_as, NodeId{3});
  EXPECT_EQ(Load(5).same_as, NodeId{3});
  EXPECT_EQ(
      watcher_.last.verdicts[static_cast<std::size_t>(Verdict::kWrongOutput)],
      3);
}

// The plan was made before the quarantine: it is still coded.
TEST_F(CampaignTest, APlanOutlivesTheQuarantineOfItsParent) {
  ASSERT_TRUE(Run(1).has_value());
  store::Campaigns campaigns(*database_);
  ASSERT_TRUE(campaigns.SetBudget(CampaignId{1}, 2, std::nullopt).has_value());
  model_.fail_role = Role::kCode;
  ASSERT_FALSE(Run(2).has_value());
  Evaluation refuted;
  refuted.verdict = Verdict::kCrashed;
  store::Nodes nodes(*database_);
  ASSERT_TRUE(nodes.AddEvaluation(CampaignId{1}, NodeId{1}, refuted, 2e9));
  ASSERT_TRUE(Run(2).has_value());
  EXPECT_EQ(model_.asked[Role::kDebug], 0);
  EXPECT_EQ(Load(2).candidate->source, "root\nline\nline\n");
}

}  // namespace
}  // namespace coppice::engine
