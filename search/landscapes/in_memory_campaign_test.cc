#include "search/landscapes/in_memory_campaign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "search/landscapes/point_text.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

const TaskLaw& Hill() {
  static const TaskLaw kLaw(Family::kHill, 1);
  return kLaw;
}

InMemoryCampaign Make(const Policy& policy, std::uint64_t seed) {
  return {policy, Hill().TaskOf(seed), Hill().root_runtime_s(), seed,
          Workforce::kTeam};
}

// Chooses what the test says.
class Scripted final : public Policy {
 public:
  explicit Scripted(std::vector<std::int64_t> nodes)
      : nodes_(std::move(nodes)) {}
  std::string_view Name() const override { return "scripted"; }
  Selection Select(const Tree& tree, RandomStream&) const override {
    return {NodeId{nodes_.at(static_cast<std::size_t>(tree.Size() - 1))}, ""};
  }

 private:
  std::vector<std::int64_t> nodes_;
};

// The keys of both trees by path, as "0.1": the second child of the first.
std::map<std::string, std::uint64_t> Paths(const InMemoryCampaign& campaign) {
  std::map<std::string, std::uint64_t> keys;
  std::map<NodeId, std::string> paths = {{kRootNode, ""}};
  for (std::int64_t i = 0; i < campaign.tree().Size(); ++i) {
    const NodeId node{i};
    const std::vector<NodeId> children = campaign.tree().Children(node);
    for (std::size_t k = 0; k < children.size(); ++k) {
      paths[children[k]] = paths[node] + "." + std::to_string(k);
    }
    keys[paths[node]] = campaign.PointOf(node).key;
  }
  return keys;
}

TEST(InMemoryCampaignTest, EqualPathsHaveEqualNodesWhateverTheOrder) {
  const Scripted by_depth({0, 1, 1, 0, 4});
  const Scripted by_breadth({0, 0, 1, 2, 1});
  InMemoryCampaign one = Make(by_depth, 3);
  InMemoryCampaign other = Make(by_breadth, 3);
  for (int i = 0; i < 5; ++i) {
    one.Step();
    other.Step();
  }
  EXPECT_EQ(Paths(one), Paths(other));
  EXPECT_EQ(Paths(one).size(), 6u);
}

TEST(InMemoryCampaignTest, TheTreeKnowsWhatWasMeasuredAndNothingElse) {
  const auto policy = *MakePolicy("stark");
  InMemoryCampaign campaign = Make(*policy, 8);
  for (int i = 0; i < 50; ++i) {
    const NodeId node = campaign.Step();
    const Point& point = campaign.PointOf(node);
    const NodeSummary& seen = campaign.tree().Node(node);
    EXPECT_EQ(seen.verdict, point.verdict);
    if (seen.runtime_s) {
      EXPECT_EQ(*seen.runtime_s, RuntimeOf(point, 0.01));
    }
  }
}

TEST(InMemoryCampaignTest, EqualSeedsGiveEqualCampaigns) {
  const auto policy = *MakePolicy("epsilon_greedy");
  InMemoryCampaign one = Make(*policy, 8);
  InMemoryCampaign other = Make(*policy, 8);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(one.PointOf(one.Step()), other.PointOf(other.Step()));
  }
}

// Against a look at the nodes of the same campaign.
TEST(RunInMemoryTest, TheOutcomeSumsUpTheTree) {
  const auto policy = *MakePolicy("stark");
  const std::vector<std::int64_t> checkpoints = {1, 10, 40};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const InMemoryOutcome outcome =
        RunInMemory(*policy, Hill(), seed, {Workforce::kTeam, 40, checkpoints});
    InMemoryCampaign campaign = Make(*policy, seed);
    std::int64_t compiled = 0;
    std::int64_t correct = 0;
    std::optional<std::int64_t> first;
    std::vector<std::optional<double>> best;
    std::optional<double> fastest;
    for (std::int64_t i = 1; i <= 40; ++i) {
      const Point& point = campaign.PointOf(campaign.Step());
      compiled += point.verdict == Verdict::kCompileFailed ? 0 : 1;
      if (point.verdict == Verdict::kPassed) {
        ++correct;
        if (!first) first = i;
        fastest = std::max(fastest.value_or(-1e9), point.measured);
      }
      if (i == 1 || i == 10 || i == 40) best.push_back(fastest);
    }
    EXPECT_EQ(outcome.compiled, compiled);
    EXPECT_EQ(outcome.correct, correct);
    EXPECT_EQ(outcome.first_correct, first);
    ASSERT_EQ(outcome.incumbents.size(), 3u);
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_EQ(outcome.incumbents[c].has_value(), best[c].has_value());
      if (!best[c]) continue;
      EXPECT_EQ(outcome.incumbents[c]->measured, *best[c]);
    }
    EXPECT_EQ(outcome.fast_1, fastest.value_or(-1.0) >= 0.0);
  }
}

// Against the same done with all of the campaign's nodes, by its definition.
TEST(RunInMemoryTest, AnIncumbentThatIsRefutedMakesWayForTheNext) {
  constexpr int kProofs = 2;
  const auto policy = *MakePolicy("stark");
  const std::vector<std::int64_t> checkpoints = {40};
  int refuted = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const InMemoryOutcome outcome =
        RunInMemory(*policy, Hill(), seed,
                    {Workforce::kTeam, 40, checkpoints, kPaperWindow, kProofs});
    InMemoryCampaign campaign = Make(*policy, seed);
    std::vector<double> speeds = {0.0};  // The root's, that of all others.
    std::vector<double> actual = {0.0};
    for (int i = 0; i < 40; ++i) {
      const Point& point = campaign.PointOf(campaign.Step());
      if (point.verdict != Verdict::kPassed) continue;
      speeds.push_back(point.measured);
      actual.push_back(point.position.log_speedup);
    }
    std::vector<std::size_t> leaders;
    for (int i = 0; i < kProofs; ++i) {
      leaders.push_back(static_cast<std::size_t>(
          std::ranges::max_element(speeds) - speeds.begin()));
      speeds[leaders.back()] = actual[leaders.back()];
    }
    if (leaders[0] != leaders[1]) ++refuted;
    ASSERT_EQ(outcome.proven.size(), 1u);
    // Measured once more or not, what it is worth is what it is worth.
    const auto last = std::ranges::max_element(speeds) - speeds.begin();
    EXPECT_EQ(outcome.proven[0],
              std::max(actual[static_cast<std::size_t>(last)], 0.0))
        << seed;
  }
  EXPECT_GT(refuted, 0);
}

// Two configurations of 1 s: an attempt that passes takes 0.2 s of compiling
// and 32 of running.  Those that begin at 0, 32.2, 64.4 and 96.6 s are within
// 100.
TEST(RunInMemoryTest, ABudgetOfSecondsCountsAttemptsBegunWithinIt) {
  const std::vector<MeasuredConfiguration> table = {
      {{"1"}, Verdict::kPassed, 1.0}, {{"2"}, Verdict::kPassed, 1.0}};
  const TaskLaw law("two/raw",
                    std::make_shared<const RecordedSpace>(
                        *RecordedSpace::Make({"tile"}, table)),
                    RecordedMode::kRaw);
  const auto policy = *MakePolicy("best_of_k");
  const auto attempts_within = [&](std::int64_t seconds) {
    return RunInMemory(*policy, law, 1,
                       {Workforce::kTeam,
                        seconds,
                        {&seconds, 1},
                        kPaperWindow,
                        0,
                        BudgetUnit::kEvaluatorSeconds})
        .counts[0]
        .attempts;
  };
  EXPECT_EQ(attempts_within(1), 1);
  EXPECT_EQ(attempts_within(100), 4);
}

// A team plans and codes on the root: 2 calls an attempt.  With 5 calls the
// third attempt would take a sixth, and does not count.  Who is alone has 5
// attempts.
TEST(RunInMemoryTest, NoAttemptTakesACallTooMany) {
  const auto policy = *MakePolicy("best_of_k");
  const std::vector<std::int64_t> calls = {1, 4, 5};
  const auto attempts_of = [&](Workforce workforce) {
    std::vector<std::int64_t> attempts;
    for (const AttemptCounts& counts :
         RunInMemory(*policy, Hill(), 1,
                     {workforce, 5, calls, kPaperWindow, 0, BudgetUnit::kCalls})
             .counts) {
      attempts.push_back(counts.attempts);
    }
    return attempts;
  };
  EXPECT_EQ(attempts_of(Workforce::kTeam),
            (std::vector<std::int64_t>{0, 2, 2}));
  EXPECT_EQ(attempts_of(Workforce::kAlone),
            (std::vector<std::int64_t>{1, 4, 5}));
}

// Whoever debugs needs no plan.
TEST(RunInMemoryTest, ARepairIsOneCall) {
  EXPECT_EQ(CallsOf(Workforce::kTeam, Verdict::kPassed), 2);
  EXPECT_EQ(CallsOf(Workforce::kTeam, Verdict::kWrongOutput), 1);
  EXPECT_EQ(CallsOf(Workforce::kAlone, Verdict::kPassed), 1);
}

TEST(RunInMemoryTest, NoAttemptsAreNoOutcome) {
  const auto policy = *MakePolicy("stark");
  const InMemoryOutcome outcome =
      RunInMemory(*policy, Hill(), 1, {Workforce::kTeam, 0, {}});
  EXPECT_EQ(outcome.compiled, 0);
  EXPECT_FALSE(outcome.first_correct.has_value());
  EXPECT_FALSE(outcome.fast_1);
}

// By a look at the whole tree: of each kind those that pass, and no more than
// the window holds.
TEST(InMemoryCampaignTest, ANodeIsWhatTheTaskMakesOfItsRelatives) {
  constexpr std::int64_t kWindow = 2;
  const auto policy = *MakePolicy("epsilon_greedy:epsilon=0.9");
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    InMemoryCampaign campaign(*policy, Hill().TaskOf(seed),
                              Hill().root_runtime_s(), seed, Workforce::kTeam,
                              kWindow);
    const Simulation task = Hill().TaskOf(seed);
    for (int i = 0; i < 80; ++i) {
      const NodeId node = campaign.Step();
      const Tree& tree = campaign.tree();
      const NodeId parent = tree.Parent(node);
      const auto passing = [&](NodeId top, NodeId except) {
        std::int64_t count = 0;
        for (const NodeId child : tree.Children(top)) {
          if (child == node || child == except) continue;
          count += tree.Node(child).verdict == Verdict::kPassed ? 1 : 0;
        }
        return count;
      };
      Relatives relatives;
      relatives.children = std::min(kWindow, passing(parent, node));
      if (parent != kRootNode) {
        const NodeId above = tree.Parent(parent);
        relatives.siblings = std::min(kWindow, passing(above, parent));
        for (const NodeId sibling : tree.Children(above)) {
          if (sibling != parent) relatives.nephews += passing(sibling, node);
        }
        relatives.nephews = std::min(kWindow, relatives.nephews);
      }
      const Point child =
          task.Attempt(campaign.PointOf(parent), tree.ChildCount(parent) - 1,
                       Workforce::kTeam, relatives);
      ASSERT_EQ(campaign.PointOf(node), child) << seed << " " << i;
    }
  }
}

}  // namespace
}  // namespace coppice::search
