// What peers' own code selected on trees, as tests/peers/*.py wrote it:
//
//   # made by ...
//   tree
//   n0 1000us                 a text tree
//     n1 failed
//   drawn ab_mcts_a 4000      an answer: "drawn" or "chances" or "chosen", the
//   n0 2500                   policy and the number of draws; then what was
//   n1 1500                   selected, and how often or with what chance
//   grown treequest_mcts      each node's parent was selected on those before
//   it
//
// A node that another is crossed with stands behind it: "n3+n1".
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/policies/treequest_mcts.h"
#include "search/text_tree.h"
#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

struct GoldenAnswer {
  std::string kind;
  std::string policy;
  int draws = 0;                         // Of "drawn".
  std::map<std::string, double> shares;  // Of all selections; in [0, 1].
};

struct GoldenTree {
  std::string text;
  std::vector<GoldenAnswer> answers;
};

// Reads a file of search/testdata.
std::vector<GoldenTree> ReadGolden(const std::string& file) {
  std::ifstream in(std::string(COPPICE_SOURCE_DIR) + "/search/testdata/" +
                   file);
  if (!in) throw std::runtime_error("no search/testdata/" + file);
  std::vector<GoldenTree> trees;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first.empty() || first[0] == '#') continue;
    if (first == "tree") {
      trees.emplace_back();
      continue;
    }
    if (trees.empty()) throw std::runtime_error("no tree before: " + line);
    GoldenTree& tree = trees.back();
    if (first == "drawn" || first == "chances" || first == "chosen" ||
        first == "grown") {
      GoldenAnswer answer;
      answer.kind = first;
      words >> answer.policy >> answer.draws;
      tree.answers.push_back(answer);
    } else if (tree.answers.empty()) {
      tree.text += line + "\n";
    } else {
      GoldenAnswer& answer = tree.answers.back();
      double share = 1.0;
      words >> share;
      answer.shares[first] = answer.draws > 0 ? share / answer.draws : share;
    }
  }
  return trees;
}

// How often `draws` selections by the policy of that name chose each node, as
// shares, in the form of an answer.
std::map<std::string, double> SharesOf(const std::string& policy,
                                       const std::string& tree, int draws) {
  const auto made = MakePolicy(policy);
  if (!made) throw std::runtime_error(made.error().what);
  const Tree built = BuildTree(ParseTree(tree), **made);
  std::map<std::string, double> shares;
  for (int seed = 1; seed <= draws; ++seed) {
    RandomStream stream(static_cast<std::uint64_t>(seed), Purpose::kSelect, 0);
    const Selection selection = (*made)->Select(built, stream);
    std::string label = Label(selection.node);
    if (selection.mate) label += "+" + Label(*selection.mate);
    shares[label] += 1.0 / draws;
  }
  return shares;
}

// Where the shares of draws differ from an answer by more than 5 standard
// errors of both, and by 1 in 1,000 besides; empty: nowhere.
std::string Differences(const GoldenAnswer& answer, const std::string& tree,
                        int draws) {
  const auto ours = SharesOf(answer.policy, tree, draws);
  std::set<std::string> labels;
  for (const auto& [label, share] : ours) labels.insert(label);
  for (const auto& [label, share] : answer.shares) labels.insert(label);
  const auto share_of = [](const auto& shares, const std::string& label) {
    const auto found = shares.find(label);
    return found == shares.end() ? 0.0 : found->second;
  };
  std::ostringstream differences;
  for (const std::string& label : labels) {
    const double mine = share_of(ours, label);
    const double theirs = share_of(answer.shares, label);
    // One share is behind both, where theirs is drawn, too.
    const double share =
        (mine * draws + theirs * answer.draws) / (draws + answer.draws);
    const double p = answer.draws > 0 ? share : theirs;
    double square = p * (1.0 - p) / draws;
    if (answer.draws > 0) square += p * (1.0 - p) / answer.draws;
    if (std::abs(mine - theirs) <= 0.001 + 5.0 * std::sqrt(square)) continue;
    differences << answer.policy << " " << label << ": " << mine << ", theirs "
                << theirs << "\n";
  }
  return differences.str().empty() ? "" : differences.str() + "on\n" + tree;
}

// Their chances are exact; 10,000 draws of ours have a standard error of 0.005
// at most.
TEST(PeersTest, ShinkaSelectsAndCrossesAsShinkaEvolvesOwnCode) {
  int answers = 0;
  for (const GoldenTree& tree : ReadGolden("shinka.txt")) {
    for (const GoldenAnswer& answer : tree.answers) {
      EXPECT_EQ(Differences(answer, tree.text, 10000), "");
      ++answers;
    }
  }
  EXPECT_EQ(answers, 36);  // 12 trees, and 3 sets of constants.
}

// 4,000 draws of theirs and 10,000 of ours: a standard error of 0.0094 at most.
TEST(PeersTest, AbMctsASelectsAsTreeQuestsOwnCode) {
  int answers = 0;
  for (const GoldenTree& tree : ReadGolden("treequest.txt")) {
    for (const GoldenAnswer& answer : tree.answers) {
      if (answer.kind != "drawn") continue;
      EXPECT_EQ(Differences(answer, tree.text, 10000), "");
      ++answers;
    }
  }
  EXPECT_EQ(answers, 14);  // 7 trees, two beliefs.
}

// Each tree has an even number of results: the last pair is complete.
TEST(PeersTest, MctsSelectsTheNodeOfAPairAsTreeQuestsOwnCode) {
  int answers = 0;
  for (const GoldenTree& tree : ReadGolden("treequest.txt")) {
    for (const GoldenAnswer& answer : tree.answers) {
      if (answer.kind != "chosen") continue;
      EXPECT_EQ(Differences(answer, tree.text, 1), "");
      ++answers;
    }
  }
  EXPECT_EQ(answers, 7);
}

// Node by node, with second samples.
TEST(PeersTest, MctsGrowsATreeAsTreeQuestsOwnCode) {
  int decisions = 0;
  const auto policy = MakeTreeQuestMcts();
  for (const GoldenTree& golden : ReadGolden("treequest.txt")) {
    if (golden.answers.front().kind != "grown") continue;
    const TextTree text = ParseTree(golden.text);
    Tree tree = MakeTreeFor(*policy);
    for (const NodeSummary& node : text.nodes) {
      if (node.parent) {
        RandomStream stream(1, Purpose::kSelect, 0);
        ASSERT_EQ(Label(policy->Select(tree, stream).node), Label(*node.parent))
            << "for " << Label(node.id) << " of\n"
            << golden.text;
        ++decisions;
      }
      tree.Add(node);
    }
  }
  EXPECT_EQ(decisions, 3 * 59);
}

}  // namespace
}  // namespace coppice::search
