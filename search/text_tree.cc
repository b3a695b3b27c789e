#include "search/text_tree.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

[[noreturn]] void Reject(const std::string& line) {
  throw std::invalid_argument("no node of a text tree: '" + line + "'");
}

NodeId ParseLabel(const std::string& word, const std::string& line) {
  if (word.size() < 2 || word[0] != 'n') Reject(line);
  return NodeId{std::stoll(word.substr(1))};
}

// "8ms", "failed", "none", or a verdict's own name.
void ParseOutcome(const std::string& word, const std::string& line,
                  NodeSummary& node) {
  if (word.empty()) Reject(line);
  if (word[0] >= '0' && word[0] <= '9') {
    std::size_t digits = 0;
    const double value = std::stod(word, &digits);
    const std::string unit = word.substr(digits);
    if (unit != "s" && unit != "ms" && unit != "us") Reject(line);
    node.verdict = Verdict::kPassed;
    node.runtime_s = unit == "s" ? value : value / (unit == "ms" ? 1e3 : 1e6);
    return;
  }
  const auto verdict = word == "failed" ? Verdict::kWrongOutput
                       : word == "none" ? Verdict::kNoCandidate
                                        : ParseVerdict(word);
  if (!verdict || *verdict == Verdict::kPassed) Reject(line);
  node.verdict = *verdict;
  if (*verdict == Verdict::kNoCandidate) node.kernel_hash = 0;
}

}  // namespace

TextTree ParseTree(std::string_view text) {
  TextTree tree;
  std::vector<std::pair<std::size_t, NodeId>> path;  // Indent and node.
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    std::istringstream words(line);
    std::string label, outcome;
    words >> label >> outcome;
    NodeSummary node;
    node.id = ParseLabel(label, line);
    node.kernel_hash = static_cast<std::uint64_t>(Index(node.id)) + 1000;
    ParseOutcome(outcome, line, node);
    for (std::string word; words >> word;) {
      if (word[0] == '+') {
        tree.in_flight[node.id] = std::stoi(word);
      } else if (word[0] == '=' && word.size() == 2) {
        node.kernel_hash = static_cast<unsigned char>(word[1]);
      } else if (word[0] == '~' && word.back() == 'x' &&
                 node.verdict == Verdict::kWrongOutput) {
        node.log_hint = static_cast<float>(std::log(std::stod(word.substr(1))));
      } else {
        Reject(line);
      }
    }
    while (!path.empty() && path.back().first >= indent) path.pop_back();
    if (!path.empty()) node.parent = path.back().second;
    path.emplace_back(indent, node.id);
    tree.nodes.push_back(node);
  }
  std::sort(tree.nodes.begin(), tree.nodes.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].id != NodeId{static_cast<std::int64_t>(i)}) {
      Reject("ids with a gap at n" + std::to_string(i));
    }
  }
  return tree;
}

namespace {

Tree Fill(Tree tree, const TextTree& text) {
  for (const NodeSummary& node : text.nodes) tree.Add(node);
  for (const auto& [node, attempts] : text.in_flight) {
    for (int i = 0; i < attempts; ++i) tree.BeginAttempt(node);
  }
  return tree;
}

}  // namespace

Tree BuildTree(const TextTree& text, Eligibility rule) {
  return Fill(Tree(rule), text);
}

Tree BuildTree(std::string_view text, Eligibility rule) {
  return BuildTree(ParseTree(text), rule);
}

Tree BuildTree(const TextTree& text, const Policy& policy) {
  return Fill(MakeTreeFor(policy), text);
}

Tree BuildTree(const TextTree& text, std::unique_ptr<TreeIndex> index) {
  return Fill(Tree({}, std::move(index)), text);
}

std::string Pick(const Policy& policy, std::string_view text,
                 std::uint64_t seed) {
  RandomStream stream(seed, Purpose::kSelect, 0);
  return Label(policy.Select(BuildTree(ParseTree(text), policy), stream).node);
}

std::string PickWithReason(const Policy& policy, std::string_view text,
                           std::uint64_t seed) {
  RandomStream stream(seed, Purpose::kSelect, 0);
  const Selection selection =
      policy.Select(BuildTree(ParseTree(text), policy), stream);
  return Label(selection.node) + ": " + selection.reason;
}

std::map<std::string, int> PickOften(const Policy& policy,
                                     std::string_view text, int draws) {
  const Tree tree = BuildTree(ParseTree(text), policy);
  std::map<std::string, int> counts;
  for (int seed = 1; seed <= draws; ++seed) {
    RandomStream stream(static_cast<std::uint64_t>(seed), Purpose::kSelect, 0);
    ++counts[Label(policy.Select(tree, stream).node)];
  }
  return counts;
}

std::string Label(NodeId node) {
  std::string label = "n";
  return label.append(std::to_string(Index(node)));
}

std::string Labels(const std::vector<NodeId>& nodes) {
  std::string labels;
  for (const NodeId node : nodes) {
    if (!labels.empty()) labels += " ";
    labels += Label(node);
  }
  return labels;
}

std::string Labels(const IdSet& nodes) {
  std::vector<NodeId> ids;
  for (std::int64_t k = 0; k < nodes.Count(); ++k) ids.push_back(nodes.At(k));
  return Labels(ids);
}

}  // namespace coppice::search
