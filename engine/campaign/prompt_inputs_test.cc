#include "engine/campaign/prompt_inputs.h"

#include <gtest/gtest.h>

#include <string>

#include "agents/prompt/window.h"
#include "engine/campaign/prompt_facts.h"
#include "search/tree.h"
#include "store/read/relatives.h"
#include "store/records/node.h"
#include "store/records/random.h"
#include "store/scratch.h"
#include "store/write/baselines.h"

namespace coppice::engine {
namespace {

constexpr Role kRoles[] = {Role::kPlan, Role::kCode, Role::kDebug};

std::string Text(const Window& window) {
  std::string text;
  for (const WindowEntry& entry : window.shown) {
    text += std::to_string(Index(entry.node)) + " " +
            std::string(Name(entry.kinship)) + ", ";
  }
  for (const WindowCut& run : window.cut) {
    text += "cut " + std::to_string(Index(run.first)) + " to " +
            std::to_string(Index(run.last)) + " " +
            std::string(Name(run.kinship)) + " of " +
            std::to_string(run.nodes) + ", ";
  }
  return text;
}

// A file with a tree that has grown by chance: of 12 nodes one repeats another,
// half of them pass, and some were refuted.
class StoredTree {
 public:
  StoredTree(std::uint64_t seed, std::int64_t size) {
    RandomStream random(seed, Purpose::kSimulation, 0);
    for (std::int64_t i = 1; i < size; ++i) {
      // Half of them are below the first few, which have many children then.
      const auto reach = static_cast<std::uint64_t>(i);
      const auto most = random.Below(2) == 0 ? reach : std::min(reach, 3ul);
      const auto parent = static_cast<std::int64_t>(random.Below(most));
      const bool passes = random.Below(2) == 0;
      const auto origin = random.Below(12) == 0 ? random.Below(reach) : reach;
      store::Grow(database_, campaign_, NodeId{parent},
                  {.source = "kernel " + std::to_string(origin),
                   .verdict = passes ? Verdict::kPassed : Verdict::kCrashed,
                   .runtime_s = 0.5 + random.Uniform()});
      if (random.Below(15) > 0) continue;
      store::Must(store::Nodes(database_).AddEvaluation(
          campaign_, NodeId{static_cast<std::int64_t>(random.Below(reach))},
          store::EvaluationOf(Verdict::kWrongOutput, {}), 3000.0));
    }
    store::Must(store::Nodes(database_).Scan(
        campaign_, [&](const NodeSummary& node) { tree_.Add(node); }));
  }

  const search::Tree& InMemory() const { return tree_; }

  void Stored(const std::function<void(const FamilyTree&)>& visit) {
    store::Must(
        store::WithRelatives(database_, campaign_, [&](const FamilyTree& tree) {
          visit(tree);
          return Result<void>();
        }));
  }

 private:
  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId campaign_ = store::Plant(database_, "a");
  search::Tree tree_{{}};
};

TEST(PromptInputsTest, AWindowIsTheSameByTheFileAsByTheTreeInMemory) {
  const agents::WindowOptions kOptions[] = {
      {},
      {.max_history = 2, .leaders = 5},
      {.max_history = 100, .leaders = 100},
      {.max_history = 3, .leaders = 4, .rule = agents::Leaders::kBoard}};
  int cut = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    StoredTree grown(seed, 45);
    const search::Tree& in_memory = grown.InMemory();
    grown.Stored([&](const FamilyTree& stored) {
      for (std::int64_t i = 0; i < in_memory.Size(); ++i) {
        for (const Role role : kRoles) {
          for (const agents::WindowOptions& options : kOptions) {
            const auto build = [&](const FamilyTree& tree) {
              RandomStream stream(seed, Purpose::kPlanWindow,
                                  static_cast<std::uint64_t>(i));
              return agents::BuildWindow(role, NodeId{i}, tree, options,
                                         stream);
            };
            const Window window = build(in_memory);
            ASSERT_EQ(Text(build(stored)), Text(window))
                << "seed " << seed << ", node " << i << ", " << Name(role);
            cut += window.cut.empty() ? 0 : 1;
          }
        }
      }
    });
  }
  EXPECT_GT(cut, 100);
}

TEST(PromptInputsTest, AsManyPassByTheFileAsByTheTreeInMemory) {
  StoredTree grown(9, 60);
  grown.Stored([&](const FamilyTree& stored) {
    for (std::int64_t i = 0; i < grown.InMemory().Size(); ++i) {
      for (const Kinship kinship :
           {Kinship::kChild, Kinship::kSibling, Kinship::kNephew}) {
        for (const std::int64_t most : {1, 5, 100}) {
          EXPECT_EQ(stored.CountPassing(kinship, NodeId{i}, most),
                    grown.InMemory().CountPassing(kinship, NodeId{i}, most))
              << "node " << i << ", " << Name(kinship);
        }
      }
    }
  });
}

class PromptFactsTest : public testing::Test {
 protected:
  // A root of two workloads that take 6 s each and move so many bytes at 1 byte
  // a second at most.
  void Plant(double bytes, double other_bytes) {
    NodeRecord root = store::RootNode();
    std::vector<WorkloadResult>& workloads = root.evaluation.workloads;
    workloads.push_back(workloads.front());
    workloads[1].workload = "w1";
    for (const bool is_other : {false, true}) {
      Profile& profile = workloads[is_other ? 1 : 0].profile.emplace();
      profile.runtime_s = 6.0;
      profile.bytes = is_other ? other_bytes : bytes;
      profile.roof_bytes_per_s = profile.bytes > 0 ? 1.0 : 0.0;
    }
    store::CampaignSpec spec = store::SpecNamed("a");
    spec.lessons = std::make_shared<const std::vector<Lesson>>(lessons_);
    campaign_ = store::Must(store::Campaigns(database_).Create(spec));
    store::Must(
        store::Nodes(database_).Commit(campaign_, std::nullopt, root, 1000.0));
  }

  void Grow(std::int64_t parent, double runtime_s) {
    store::Grow(database_, campaign_, NodeId{parent}, {.runtime_s = runtime_s});
  }

  agents::PromptContext BriefOn(std::int64_t node, std::int64_t decision = 7,
                                std::int64_t nodes_seen = 1) {
    const NodeRecord selected =
        store::Must(store::Nodes(database_).Load(campaign_, NodeId{node}));
    PromptInputs prompt_inputs;
    store::Must(store::WithRelatives(
        database_, campaign_, [&](const FamilyTree& tree) -> Result<void> {
          TRY_ASSIGN(prompt_inputs, Brief({.database = database_,
                                           .task = task_,
                                           .campaign = campaign_,
                                           .window = {},
                                           .hardware = "",
                                           .budget = 40},
                                          tree,
                                          {.role = Role::kPlan,
                                           .decision = decision,
                                           .selected = selected,
                                           .plan = std::nullopt,
                                           .nodes_seen = nodes_seen}));
          return {};
        }));
    return prompt_inputs.context;
  }

  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId campaign_{};
  Task task_;
  std::vector<Lesson> lessons_;  // That the campaign begins with.
};

// The root moves bytes alone, so what was tried on another of which arithmetic
// is the bound is less near.
TEST_F(PromptFactsTest, AnAgentIsToldWhatTheCampaignBeganWith) {
  for (const char* bound : {"memory", "arithmetic", ""}) {
    Lesson lesson;
    lesson.uuid = Uuid{};
    lesson.node = NodeId{1};
    lesson.technique = "tile(i, 8)";
    lesson.verdict = Verdict::kCrashed;
    lesson.bound = bound;
    lesson.nearness = 0.5;
    lessons_.push_back(lesson);
  }
  Plant(3.0, 0.75);
  const std::vector<Lesson> lessons = BriefOn(0).lessons;
  ASSERT_EQ(lessons.size(), 3u);
  EXPECT_EQ(lessons[0].technique, "tile(i, 8)");
  EXPECT_DOUBLE_EQ(lessons[0].nearness, 0.5);
  EXPECT_DOUBLE_EQ(lessons[1].nearness, 0.35);
  EXPECT_DOUBLE_EQ(lessons[2].nearness, 0.5);
}

// 4 s over 2 s, 1 s and 0.5 s: 2, 4 and 8 times.
TEST_F(PromptFactsTest, AnAgentIsToldHowTheSearchStands) {
  Plant(3.0, 0.75);
  Grow(0, 2.0);
  Grow(0, 1.0);
  store::Must(store::AddBaselineEvaluation(
      database_, campaign_, store::kExpertBaseline,
      store::EvaluationOf(Verdict::kPassed, 0.5), 2000.0));
  const agents::SearchStanding standing = BriefOn(1).standing;
  EXPECT_EQ(standing.budget, 40);
  EXPECT_EQ(standing.remaining, 33);
  // The next attempt would be the last one.
  EXPECT_EQ(BriefOn(1, 40).standing.budget, 41);
  EXPECT_EQ(BriefOn(1, 40).standing.remaining, 1);
  EXPECT_EQ(standing.best, NodeId{2});
  EXPECT_DOUBLE_EQ(standing.best_speedup->ratio, 4.0);
  ASSERT_EQ(standing.yardsticks.size(), 1u);
  EXPECT_EQ(standing.yardsticks[0].name, "expert");
  EXPECT_DOUBLE_EQ(standing.yardsticks[0].speedup.ratio, 8.0);
  // 6 / 3 and 6 / 0.75 times, 2 and 8: their geometric mean.
  EXPECT_DOUBLE_EQ(standing.ceiling.value(), 4.0);
  EXPECT_EQ(BriefOn(0).standing.ceiling, standing.ceiling);
}

TEST_F(PromptFactsTest, WithoutARoofOfEachWorkloadThereIsNoCeiling) {
  Plant(3.0, 0.0);
  EXPECT_EQ(BriefOn(0).standing.ceiling, std::nullopt);
}

// Node 1 is twice as fast as the root.  At decision 20 there was only the root
// 20 attempts ago; at 21 there was node 1, too.
TEST_F(PromptFactsTest, WithoutAGainThatIsToldApartThereIsAPlateau) {
  Plant(1.0, 1.0);
  Grow(0, 2.0);
  const auto interval = [&](const char* low, const char* high) {
    store::Change(database_, std::string("UPDATE node SET speedup_low = ") +
                                 low + ", speedup_high = " + high +
                                 " WHERE number = 1");
  };
  interval("1.9", "2.1");
  EXPECT_EQ(BriefOn(1, 19, 20).standing.plateau, 0);
  EXPECT_EQ(BriefOn(1, 20, 21).standing.plateau, 0);
  EXPECT_EQ(BriefOn(1, 21, 22).standing.plateau, 20);
  interval("0.9", "4.4");
  EXPECT_EQ(BriefOn(1, 20, 21).standing.plateau, 20);
}

TEST_F(PromptFactsTest, AnAgentIsToldWhatItsOpenNumbersCameTo) {
  Plant(1.0, 1.0);
  store::Grow(
      database_, campaign_, kRootNode,
      {.source = "int T = 2;  //@ tune 1 2",
       .trials = {{"T=2", Verdict::kPassed, Speedup{2.0, {}}, 1.0, true}}});
  store::Grow(database_, campaign_, kRootNode,
              {.source = "int T = 3;  //@ tune 1 2"});
  EXPECT_EQ(BriefOn(1).selected.tuning,
            "Tuned: T=2, as written, won of 1 configuration tried; 1 lies "
            "within 3 % of the fastest");
  EXPECT_EQ(BriefOn(2).selected.tuning,
            "Not tuned: line 1: 3, which T is, is not among its choices");
  EXPECT_EQ(BriefOn(0).selected.tuning, "");
}

TEST_F(PromptFactsTest, APlannerIsToldOfPlansThatNobodyHasRealised) {
  Plant(1.0, 1.0);
  Grow(0, 2.0);
  store::Grow(database_, campaign_, kRootNode,
              {.verdict = Verdict::kCompileFailed,
               .advice = "use a table",
               .technique = "table"});
  const auto unrealised = BriefOn(1, 2, 3).unrealised;
  ASSERT_EQ(unrealised.size(), 1u);
  EXPECT_EQ(unrealised[0].plan.technique, "table");
  EXPECT_EQ(unrealised[0].tried, 1);
  EXPECT_EQ(unrealised[0].last, NodeId{2});
  EXPECT_EQ(unrealised[0].verdict, Verdict::kCompileFailed);
}

// Node 3 leads and came from 2, which no window of node 1 shows.
TEST_F(PromptFactsTest, AParentsSpeedIsKnownThoughItIsNotShown) {
  Plant(1.0, 1.0);
  Grow(0, 2.0);
  Grow(0, 1.0);
  Grow(2, 0.5);
  Grow(1, 4.0);
  const std::vector<agents::Sighting> history = BriefOn(1).history;
  const auto parent_of = [&](std::int64_t node) {
    for (const agents::Sighting& sighting : history) {
      if (sighting.id == NodeId{node}) return sighting.parent_speedup->ratio;
    }
    return 0.0;
  };
  EXPECT_DOUBLE_EQ(parent_of(3), 4.0);
  EXPECT_DOUBLE_EQ(parent_of(4), 2.0);
}

std::string Numbers(const std::vector<agents::Sighting>& sightings) {
  std::string numbers;
  for (const agents::Sighting& sighting : sightings) {
    numbers += std::to_string(Index(sighting.id)) + " ";
  }
  return numbers;
}

// Node 1 works on the root.  Its window has the fastest two outside of its
// subtree, 4 and 3, and its child 7.
TEST_F(PromptFactsTest, AnAgentIsToldOfAllAttemptsSoFar) {
  Plant(1.0, 1.0);
  Grow(0, 2.0);
  for (const double runtime_s : {3.0, 0.5, 0.25, 5.0, 6.0}) Grow(0, runtime_s);
  Grow(1, 1.0);
  Grow(5, 7.0);
  store::Grow(database_, campaign_, NodeId{5}, {.verdict = Verdict::kCrashed});
  const agents::PromptContext whole = BriefOn(1, 9, 10);
  EXPECT_EQ(Numbers(whole.history), "7 4 3 ");
  EXPECT_EQ(Numbers(whole.others), "2 5 6 8 9 ");
  EXPECT_EQ(whole.attempts, 9);
  EXPECT_EQ(whole.others[4].log,
            store::Must(store::Nodes(database_).Load(campaign_, NodeId{9}))
                .evaluation.log);
  EXPECT_DOUBLE_EQ(whole.others[3].parent_speedup->ratio, 0.8);
  // When there were 7 nodes, 8 and 9 were none; 7 came since, and is shown.
  const agents::PromptContext before = BriefOn(1, 6, 7);
  EXPECT_EQ(Numbers(before.others), "2 5 6 ");
  EXPECT_EQ(before.attempts, 7);
}

}  // namespace
}  // namespace coppice::engine
