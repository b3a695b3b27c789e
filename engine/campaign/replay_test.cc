#include "engine/campaign/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/campaign/history_fixture.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/records/model_call.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

store::Arrival ArrivalOf(std::int64_t number, double runtime_s,
                         std::int64_t parent, std::int64_t decision) {
  store::Arrival arrival;
  arrival.node.id = NodeId{number};
  arrival.node.parent = NodeId{parent};
  arrival.node.verdict = Verdict::kPassed;
  arrival.node.runtime_s = runtime_s;
  arrival.node.kernel_hash = static_cast<std::uint64_t>(number) + 1;
  arrival.decision = decision;
  return arrival;
}

store::Arrival RootArrival() {
  store::Arrival root = ArrivalOf(0, 4.0, 0, 0);
  root.node.parent.reset();
  root.decision.reset();
  return root;
}

store::DecisionRecord DecisionOf(std::int64_t decision, std::int64_t parent,
                                 const std::string& reason,
                                 std::int64_t nodes_seen) {
  return {decision, NodeId{parent}, "greedy", reason, nodes_seen, 0};
}

constexpr const char* kOnRoot = "exploit: lowest runtime 4 s";
constexpr const char* kOnNode1 = "exploit: lowest runtime 2 s";

// Decisions 0 and 1 at the same time, both on the root; then node 1 of decision
// 0 came, and 2 went on from it while 1 was in flight.
store::Annals SideBySide() {
  store::Annals annals;
  annals.arrivals = {RootArrival(), ArrivalOf(1, 2.0, 0, 0),
                     ArrivalOf(2, 3.0, 0, 1)};
  annals.decisions = {DecisionOf(0, 0, kOnRoot, 1),
                      DecisionOf(1, 0, kOnRoot, 1),
                      DecisionOf(2, 1, kOnNode1, 2)};
  Evaluate(annals);
  return annals;
}

// "2/1 yes": node 2 with one attempt in flight, as recorded.
std::vector<std::string> Remake(const store::Annals& annals) {
  std::vector<std::string> lines;
  const auto done =
      Replay(annals, 7, search::MakePolicy, [&](const Remade& remade) {
        lines.push_back(std::to_string(Index(remade.again.node)) + "/" +
                        std::to_string(remade.in_flight) +
                        (remade.Agrees() ? " yes" : " no"));
        return true;
      });
  if (!done) lines.push_back(done.error().what);
  return lines;
}

TEST(ReplayTest, DecisionsAreMadeFromWhatTheirPolicySaw) {
  EXPECT_THAT(Remake(SideBySide()),
              ElementsAre("0/0 yes", "0/1 yes", "1/1 yes"));
}

// Both models are asked first, in the order that the stream draws.  Node 1, of
// the first, is twice as fast as the root; node 2, of the other, gained 4 / 3.
// Decision 2 saw the first alone and the other in flight.
TEST(ReplayTest, ModelsAreChosenAgain) {
  store::Annals annals = SideBySide();
  annals.decisions.push_back(DecisionOf(3, 1, kOnNode1, 3));
  const auto pick = [&](std::size_t decision, const std::string& model,
                        const std::string& reason) {
    auto& record = annals.decisions.at(decision);
    record.picks = {{Role::kCode, "exec:" + model, "exec:a,exec:b",
                     "bandit:epsilon=0", reason}};
    AskedModel asked;
    asked.decision = record.decision;
    asked.role = Role::kCode;
    asked.model = "exec:" + model;
    asked.parent = record.parent;
    if (decision < 2) asked.node = NodeId{static_cast<int>(decision) + 1};
    asked.answers = 1;
    annals.asked.push_back(asked);
  };
  std::string first;
  pick(0, "a", "not asked yet");
  ASSERT_TRUE(Replay(annals, 7, search::MakePolicy, [&](const Remade& remade) {
    first = remade.picks_again.at(0).model == "exec:a" ? "a" : "b";
    return false;
  }));
  annals.decisions[0].picks.clear();
  annals.asked.clear();
  pick(0, first, "not asked yet");
  pick(1, first == "a" ? "b" : "a", "not asked yet");
  pick(2, first, "highest score after 1 time");
  pick(3, first, "highest score after 2 times");
  EXPECT_THAT(Remake(annals),
              ElementsAre("0/0 yes", "0/1 yes", "1/1 yes", "1/1 yes"));
  annals.decisions[3].picks[0].reason = "by chance after 2 times";
  EXPECT_THAT(Remake(annals),
              ElementsAre("0/0 yes", "0/1 yes", "1/1 yes", "1/1 no"));
}

TEST(ReplayTest, ThePolicySeesWhatWasLeftOfTheBudget) {
  store::Annals annals = SideBySide();
  annals.decisions[0].attempts_left = 7;
  annals.decisions[2].attempts_left = 5;  // Nobody said of the one between.
  std::vector<std::optional<std::int64_t>> left;
  ASSERT_TRUE(Replay(annals, 7, search::MakePolicy, [&](const Remade& remade) {
    left.push_back(remade.seen.AttemptsLeft());
    return true;
  }));
  EXPECT_THAT(left, ElementsAre(7, std::nullopt, 5));
}

TEST(ReplayTest, WhoClaimsToHaveSeenMoreDisagrees) {
  store::Annals annals = SideBySide();
  annals.decisions[1].nodes_seen = 2;
  EXPECT_THAT(Remake(annals), ElementsAre("0/0 yes", "1/0 no", "1/1 yes"));
}

// STARK's root takes five children, those in flight among them; the sixth
// decision finds no node to go on from.
TEST(ReplayTest, AttemptsInFlightCount) {
  store::Annals annals;
  annals.arrivals = {RootArrival()};
  Evaluate(annals);
  for (std::int64_t i = 0; i < 6; ++i) {
    annals.decisions.push_back(DecisionOf(i, 0, "", 1));
    annals.decisions.back().policy = "stark";
  }
  annals.decisions.back().reason = "exploit: the root, no node is eligible";
  std::vector<bool> agree;
  ASSERT_TRUE(Replay(annals, 7, search::MakePolicy, [&](const Remade& remade) {
    agree.push_back(remade.Agrees());
    return true;
  }));
  EXPECT_TRUE(agree.back());
}

// Node 1 was found wrong between decisions 2 and 3: on from node 2.
TEST(ReplayTest, AQuarantineCountsFromTheDecisionThatSawIt) {
  store::Annals annals = SideBySide();
  Refute(annals, 1);
  annals.decisions.push_back(
      DecisionOf(3, 2, "exploit: lowest runtime 3 s", 3));
  annals.decisions.back().further_seen = 1;
  EXPECT_THAT(Remake(annals),
              ElementsAre("0/0 yes", "0/1 yes", "1/1 yes", "2/1 yes"));
}

TEST(ReplayTest, AnotherPolicyMayGoOnWithTheTree) {
  store::Annals annals = SideBySide();
  annals.decisions.push_back(DecisionOf(3, 0, "", 3));
  annals.decisions.back().policy = "best_of_k";
  const auto lines = Remake(annals);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[3].starts_with("0/1"));
}

TEST(ReplayTest, TheFirstToDisagreeCanBeTheLastVisited) {
  int visited = 0;
  ASSERT_TRUE(Replay(SideBySide(), 7, search::MakePolicy,
                     [&](const Remade&) { return ++visited < 2; }));
  EXPECT_EQ(visited, 2);
}

TEST(ReplayTest, AnnalsThatContradictThemselvesAreCorrupt) {
  store::Annals annals = SideBySide();
  annals.decisions[0].nodes_seen = 2;  // Its own node.
  EXPECT_THAT(Remake(annals),
              ElementsAre("node 1 was seen before decision 0 was made"));
  annals = SideBySide();
  annals.decisions[2].nodes_seen = 9;
  EXPECT_THAT(Remake(annals), ElementsAre("0/0 yes", "0/1 yes",
                                          "decision 2 saw what is not there"));
}

TEST(ReplayTest, AnUnknownPolicyIsNamed) {
  store::Annals annals = SideBySide();
  annals.decisions[0].policy = "grady";
  const auto done =
      Replay(annals, 7, search::MakePolicy, [](const Remade&) { return true; });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::engine
