#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "search/constants.h"
#include "search/policy.h"
#include "search/random_tree.h"
#include "search/text_tree.h"
#include "search/tree.h"

namespace coppice::search {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PoliciesTest, EveryNameMakesThePolicyOfThatName) {
  EXPECT_EQ(PolicyNames().front(), "stark");
  for (const std::string_view name : PolicyNames()) {
    const auto policy = MakePolicy(name);
    ASSERT_TRUE(policy.has_value()) << name;
    EXPECT_EQ((*policy)->Name(), name);
  }
}

TEST(PoliciesTest, AnUnknownNameIsAUsageErrorThatListsAllAndSuggestsOne) {
  const auto policy = MakePolicy("epsilon-greedy");
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().code, Errc::kUsage);
  EXPECT_THAT(policy.error().what,
              HasSubstr("policy 'epsilon-greedy' is unknown; did you mean "
                        "epsilon_greedy?"));
  for (const std::string_view name : PolicyNames()) {
    EXPECT_THAT(policy.error().what, HasSubstr(std::string(name)));
  }
}

// Files of before have decisions of what is ab_mcts_gain now as "ab_mcts".
TEST(PoliciesTest, ATypedNameIsThePeersRuleAndAStoredOneWhatItWas) {
  EXPECT_EQ(PolicySpelling("ab_mcts"), "ab_mcts_a");
  EXPECT_EQ(PolicySpelling("ab_mcts_beta"), "ab_mcts_a_beta");
  EXPECT_EQ(StoredPolicySpelling("ab_mcts"), "ab_mcts_gain");
  EXPECT_EQ(StoredPolicySpelling("ab_mcts_a"), "ab_mcts_a");
  EXPECT_EQ(StoredPolicySpelling("shinka_weighted:archive=9,drafts=2"),
            "shinka_repairing:drafts=2,archive=9");
  EXPECT_EQ(StoredPolicySpelling("shinka_power_law"),
            "shinka_repairing_power_law");
}

TEST(PoliciesTest, ARuleThatWasRenamedIsNamedToWhoTypesItsOldName) {
  const auto policy = MakePolicy("shinka_weighted");
  ASSERT_FALSE(policy.has_value());
  EXPECT_THAT(policy.error().what,
              HasSubstr("policy 'shinka_weighted' is unknown; its rule is "
                        "shinka_repairing now, and ShinkaEvolve's own is "
                        "shinka. Choose one of: stark"));
}

// The names that there are would hide what is wrong.
TEST(PoliciesTest, AFileWithoutItsPrefixIsToldTheForm) {
  const auto told = [](const char* typed) {
    const auto policy = MakePolicy(typed);
    return policy ? "" : policy.error().what;
  };
  EXPECT_EQ(told("mine.py:Mine"),
            "policy 'mine.py:Mine' is unknown; a class in a file is "
            "python:mine.py:Mine");
  EXPECT_EQ(told("mine.py"),
            "policy 'mine.py' is unknown; a class in a file is "
            "python:mine.py:CLASS");
}

TEST(PoliciesTest, NothingIsSuggestedForANameLikeNone) {
  for (const char* name : {"", "simulated-annealing"}) {
    const auto policy = MakePolicy(name);
    ASSERT_FALSE(policy.has_value());
    EXPECT_THAT(policy.error().what, Not(HasSubstr("did you mean"))) << name;
  }
}

TEST(PoliciesTest, AnEqualTreeAndStreamGiveAnEqualSelection) {
  const std::string_view tree =
      "n0 10ms +1\n"
      "  n1 9ms\n"
      "    n3 failed\n"
      "    n4 8ms +2\n"
      "  n2 failed\n"
      "    n5 9ms\n";
  for (const std::string_view name : PolicyNames()) {
    const auto policy = MakePolicy(name);
    ASSERT_TRUE(policy.has_value());
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
      EXPECT_EQ(PickWithReason(**policy, tree, seed),
                PickWithReason(**policy, tree, seed));
    }
  }
}

TEST(PoliciesTest, ConstantsAreOfTheNameInOneSpelling) {
  const auto name = [](std::string_view text) {
    return std::string((*MakePolicy(text))->Name());
  };
  EXPECT_EQ(name("stark:n_root=8,epsilon=0.40"), "stark:epsilon=0.4,n_root=8");
  EXPECT_EQ(name("stark:epsilon=0.3"), "stark");
  EXPECT_EQ(name("stark:"), "stark");
  EXPECT_EQ(name("xei_b:stagnation=5,gain=0.1"), "xei_b:gain=0.1,stagnation=5");
}

TEST(PoliciesTest, EveryPolicyIsMadeAgainFromItsNameWithConstants) {
  for (const std::string_view name : PolicyNames()) {
    for (const Constant& constant : ConstantsOf(name)) {
      const double other = constant.standard == constant.least
                               ? constant.least + 1.0
                               : constant.least;
      std::string text(name);
      text.append(":").append(constant.name).append("=");
      text += std::to_string(other);
      const auto policy = MakePolicy(text);
      ASSERT_TRUE(policy.has_value()) << policy.error().what;
      EXPECT_NE((*policy)->Name(), name);
      EXPECT_EQ((*MakePolicy((*policy)->Name()))->Name(), (*policy)->Name());
    }
  }
}

TEST(PoliciesTest, AWrongConstantIsAUsageErrorThatListsThose) {
  const auto policy = MakePolicy("stark:eps=0.4");
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().code, Errc::kUsage);
  EXPECT_EQ(policy.error().what,
            "policy stark: has no constant 'eps'; it has epsilon=0.3 (0 to 1), "
            "n_root=5 (1 or more), n_child=3 (0 or more)");
}

// A name in a database is not enough to run a file.
TEST(PoliciesTest, AProgramIsKnownOnceItWasAdded) {
  const auto before = MakeStoredPolicy("python:Mine@01234567");
  ASSERT_FALSE(before.has_value());
  EXPECT_EQ(before.error().code, Errc::kUsage);
  EXPECT_THAT(before.error().what, HasSubstr("no database may have run"));
  AddPolicy("python:mine.py:Mine", "python:Mine@01234567",
            [] { return MakePolicy("greedy"); });
  EXPECT_EQ((*MakePolicy("python:mine.py:Mine"))->Name(), "greedy");
  EXPECT_EQ((*MakeStoredPolicy("python:Mine@01234567"))->Name(), "greedy");
  EXPECT_FALSE(MakeStoredPolicy("python:Mine@89abcdef").has_value());
  EXPECT_THAT(PolicyNames(), Not(testing::Contains("python:mine.py:Mine")));
}

// The root is the fastest; once it may have one child only, n1 is left.
TEST(PoliciesTest, ConstantsTakeEffect) {
  const std::string_view tree = "n0 1ms\n  n1 9ms\n";
  EXPECT_EQ(Pick(**MakePolicy("stark:epsilon=0"), tree), "n0");
  EXPECT_EQ(Pick(**MakePolicy("stark:epsilon=0,n_root=1"), tree), "n1");
}

// Over random trees, with failing roots and roots without a candidate among
// them.
class AllPolicies : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    auto made = MakePolicy(GetParam());
    ASSERT_TRUE(made.has_value());
    policy_ = std::move(*made);
  }

  std::string Select(const Tree& tree, std::uint64_t seed) const {
    RandomStream stream(seed, Purpose::kSelect, 0);
    const Selection selection = policy_->Select(tree, stream);
    return Label(selection.node) + ": " + selection.reason;
  }

  std::unique_ptr<Policy> policy_;
  RandomStream stream_{6, Purpose::kSimulation, 0};
};

INSTANTIATE_TEST_SUITE_P(PoliciesTest, AllPolicies,
                         ::testing::ValuesIn(PolicyNames()),
                         [](const auto& name) {
                           return std::string(name.param);
                         });
INSTANTIATE_TEST_SUITE_P(TunedPoliciesTest, AllPolicies,
                         ::testing::Values("best_of_k:repairs=2"),
                         [](const auto&) { return "best_of_k_repairs"; });

TEST_P(AllPolicies, SelectTheRootOrANodeThatHoldsACandidate) {
  for (int i = 0; i < 500; ++i) {
    const Tree tree = BuildTree(RandomTree(stream_), *policy_);
    RandomStream stream(stream_.NextU64(), Purpose::kSelect, 0);
    const NodeId node = policy_->Select(tree, stream).node;
    ASSERT_TRUE(node == kRootNode || IsExpandable(tree.Node(node)))
        << "tree " << i << ", " << Label(node);
  }
}

TEST_P(AllPolicies, SelectTheRootOfATreeWithoutAnyCandidate) {
  for (const std::string_view root :
       {"n0 10ms\n", "n0 failed\n", "n0 none\n"}) {
    std::string tree(root);
    for (int i = 1; i < 40; ++i) {
      tree += "  n" + std::to_string(i) + " none\n";
    }
    EXPECT_EQ(Pick(*policy_, tree), "n0") << root;
  }
}

// Attempts are begun ahead of the nodes that come of them, some are given up,
// and some are left in flight: what counts is only which.
TEST_P(AllPolicies, SelectFromATreeGrownUnderAttemptsAsFromOneBuiltAfresh) {
  for (int i = 0; i < 200; ++i) {
    const TextTree text = RandomTree(stream_);
    const Tree fresh = BuildTree(text, *policy_);
    Tree grown = MakeTreeFor(*policy_);
    grown.Add(text.nodes.front());
    for (const auto& [node, attempts] : text.in_flight) {
      if (node != kRootNode) continue;
      for (int k = 0; k < attempts; ++k) grown.BeginAttempt(node);
    }
    for (std::size_t k = 1; k < text.nodes.size(); ++k) {
      const NodeId parent = *text.nodes[k].parent;
      const NodeId other{Draw(stream_, grown.Size())};
      grown.BeginAttempt(other);
      grown.BeginAttempt(parent);
      if (k % 2 == 0) grown.EndAttempt(parent);
      grown.Add(text.nodes[k]);
      if (k % 2 == 1) grown.EndAttempt(parent);
      grown.EndAttempt(other);
    }
    for (const auto& [node, attempts] : text.in_flight) {
      if (node == kRootNode) continue;
      for (int k = 0; k < attempts; ++k) grown.BeginAttempt(node);
    }
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      ASSERT_EQ(Select(grown, seed), Select(fresh, seed)) << "tree " << i;
    }
  }
}

// What is told is the rule itself at work: the same selection by the same
// draws, and scores of nodes that may be selected.
TEST_P(AllPolicies, SelectTheSameWhereTheyTellByWhatScores) {
  for (int i = 0; i < 200; ++i) {
    const Tree tree = BuildTree(RandomTree(stream_), *policy_);
    const std::uint64_t seed = stream_.NextU64();
    RandomStream aloud(seed, Purpose::kSelect, 0);
    Weighing weighing;
    const Selection selection = policy_->SelectAloud(tree, aloud, weighing);
    ASSERT_EQ(Label(selection.node) + ": " + selection.reason,
              Select(tree, seed));
    ASSERT_EQ(weighing.nodes.empty() || !weighing.measure.empty(), true);
    for (const Weighing::One& one : weighing.nodes) {
      ASSERT_TRUE(one.node == kRootNode || IsExpandable(tree.Node(one.node)));
      ASSERT_TRUE(std::isfinite(one.score));
    }
  }
}

// Quarantine refutes a node after the fact, and the tree is built anew with the
// verdict that refuted it: its descendants then hang below a failing node.
TEST_P(AllPolicies, SelectFromATreeWithARefutedNode) {
  for (int i = 0; i < 200; ++i) {
    TextTree text = RandomTree(stream_);
    const auto k = static_cast<std::size_t>(
        Draw(stream_, static_cast<std::int64_t>(text.nodes.size())));
    text.nodes[k].verdict = Verdict::kWrongOutput;
    text.nodes[k].runtime_s.reset();
    text.nodes[k].kernel_hash = 99;
    const Tree tree = BuildTree(text, *policy_);
    RandomStream stream(stream_.NextU64(), Purpose::kSelect, 0);
    const NodeId node = policy_->Select(tree, stream).node;
    ASSERT_TRUE(node == kRootNode || tree.Eligible().Contains(node))
        << "tree " << i << ", " << Label(node);
  }
}

// Rules that select by the score alone.
class ScoringPolicies : public ::testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(PoliciesTest, ScoringPolicies,
                         ::testing::Values("greedy", "puct", "xei", "xei_ts"),
                         [](const auto& name) {
                           return std::string(name.param);
                         });

TEST_P(ScoringPolicies, SelectTheNodeOfTheBestScore) {
  const auto policy = *MakePolicy(GetParam());
  RandomStream trees(7, Purpose::kSimulation, 0);
  int weighed = 0;
  for (int i = 0; i < 200; ++i) {
    const Tree tree = BuildTree(RandomTree(trees), *policy);
    RandomStream stream(trees.NextU64(), Purpose::kSelect, 0);
    Weighing weighing;
    const NodeId node = policy->SelectAloud(tree, stream, weighing).node;
    if (weighing.nodes.empty()) continue;  // A draft: the root's turn.
    ++weighed;
    const auto best = std::ranges::max_element(
        weighing.nodes, {}, [&](const Weighing::One& one) {
          return std::pair(weighing.is_lowest_best ? -one.score : one.score,
                           -Index(one.node));
        });
    ASSERT_EQ(Label(best->node), Label(node)) << "tree " << i;
  }
  EXPECT_GT(weighed, 50);
}

}  // namespace
}  // namespace coppice::search
