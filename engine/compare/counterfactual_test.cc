#include "engine/compare/counterfactual.h"

#include <gmock/gmock.h>

#include "engine/campaign/history_fixture.h"
#include "search/policy.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

store::Arrival ArrivalOf(std::int64_t number, std::optional<double> runtime_s) {
  store::Arrival arrival;
  arrival.node.id = NodeId{number};
  arrival.node.verdict = runtime_s ? Verdict::kPassed : Verdict::kCrashed;
  arrival.node.runtime_s = runtime_s;
  arrival.node.kernel_hash = static_cast<std::uint64_t>(number) + 1;
  if (number > 0) {
    arrival.node.parent = kRootNode;
    arrival.decision = number - 1;
  }
  return arrival;
}

// The root takes 4 s; 1 crashed, 2 takes 2 s, 3 takes 3 s.  The first two
// decisions were for the root, the third for 1 and the fourth for 2.
store::Annals Recorded() {
  store::Annals annals;
  annals.arrivals = {ArrivalOf(0, 4.0), ArrivalOf(1, std::nullopt),
                     ArrivalOf(2, 2.0), ArrivalOf(3, 3.0)};
  std::int64_t decision = 0;
  for (const std::int64_t parent : {0, 0, 1, 2}) {
    annals.decisions.push_back(
        {decision, NodeId{parent}, "reflexion", "", decision + 1, 0});
    ++decision;
  }
  Evaluate(annals);
  return annals;
}

Counterfactual Of(const std::string& policy, const store::Annals& annals) {
  Counterfactual counterfactual;
  const auto make = [&] { return search::MakePolicy(policy); };
  EXPECT_TRUE(Reconsider(annals, 7, make, counterfactual));
  return counterfactual;
}

// Greedy goes on from the fastest passing node: the root, the root, 2 and 2.
TEST(CounterfactualTest, CountsByTheKindOfNodeThatWasChosen) {
  const auto choices = Of("greedy", Recorded()).at("reflexion");
  EXPECT_EQ(choices[0].decisions, 2);
  EXPECT_EQ(choices[0].same_node, 2);
  EXPECT_THAT(choices[0].instead, ElementsAre(2, 0, 0));
  EXPECT_EQ(choices[1].decisions, 1);  // For node 2.
  EXPECT_EQ(choices[1].same_node, 1);
  EXPECT_EQ(choices[2].decisions, 1);  // For node 1.
  EXPECT_EQ(choices[2].same_node, 0);
  EXPECT_THAT(choices[2].instead, ElementsAre(0, 1, 0));
}

TEST(CounterfactualTest, BestOfKAlwaysChoosesTheRoot) {
  const auto choices = Of("best_of_k", Recorded()).at("reflexion");
  EXPECT_EQ(choices[0].same_node, 2);
  EXPECT_THAT(choices[1].instead, ElementsAre(1, 0, 0));
  EXPECT_THAT(choices[2].instead, ElementsAre(1, 0, 0));
}

// Node 2 was in quarantine when the fourth decision was made.
TEST(CounterfactualTest, ARefutedNodeIsFailingFromThenOn) {
  store::Annals annals = Recorded();
  Refute(annals, 2);
  annals.decisions[3].further_seen = 1;
  const auto choices = Of("best_of_k", annals).at("reflexion");
  EXPECT_EQ(choices[1].decisions, 0);
  EXPECT_EQ(choices[2].decisions, 2);
}

TEST(CounterfactualTest, AnUnknownPolicyIsAnError) {
  Counterfactual counterfactual;
  const auto make = [] { return search::MakePolicy("strak"); };
  const auto done = Reconsider(Recorded(), 7, make, counterfactual);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::engine
