// What a selection and an append cost as the tree grows, beside a plain scan of
// the same tree that makes the same choice.
//
//   selection_benchmark [LARGEST_TREE]        default 1000000
//   selection_benchmark own [LARGEST_TREE]
//
// With `own`, each policy selects in trees that it has grown itself, on the
// landscape nk/1, and no scan is made.  Else trees are random: each node hangs
// below a uniformly drawn one that holds a candidate, 45 % fail, eight attempts
// are in flight.  Times include the clock's own cost, printed first.  Goal: a
// median selection of 50 us or less at a million nodes.  Below each policy:
// what a tree with its index costs.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "search/landscapes/in_memory_campaign.h"
#include "search/policy.h"
#include "store/records/evaluation.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

struct Cost {
  double median_ns = 0.0;
  double p99_ns = 0.0;
  double max_ns = 0.0;
};

Cost Summarise(std::vector<double> ns) {
  std::sort(ns.begin(), ns.end());
  return {ns[ns.size() / 2], ns[ns.size() * 99 / 100], ns.back()};
}

Cost Measure(int calls, const std::function<void()>& call) {
  std::vector<double> ns;
  for (int i = 0; i < calls; ++i) {
    const auto start = Clock::now();
    call();
    ns.push_back(Seconds(Clock::now() - start) * 1e9);
  }
  return Summarise(std::move(ns));
}

std::vector<NodeSummary> RandomNodes(std::int64_t size) {
  RandomStream stream(1, Purpose::kSimulation, 0);
  std::vector<NodeSummary> nodes;
  for (std::int64_t i = 0; i < size; ++i) {
    NodeSummary node;
    node.id = NodeId{i};
    if (i > 0) {
      do {
        const auto parent = stream.Below(static_cast<std::uint64_t>(i));
        node.parent = NodeId{static_cast<std::int64_t>(parent)};
      } while (
          nodes[static_cast<std::size_t>(Index(*node.parent))].kernel_hash ==
          0);
    }
    const double luck = i == 0 ? 1.0 : stream.Uniform();
    node.kernel_hash = stream.NextU64() | 1;
    if (luck > 0.45) {
      node.verdict = Verdict::kPassed;
      node.runtime_s = 1e-3 * (0.5 + stream.Uniform());
    } else {
      node.verdict =
          luck > 0.02 ? Verdict::kWrongOutput : Verdict::kNoCandidate;
      if (luck <= 0.02) node.kernel_hash = 0;
    }
    nodes.push_back(node);
  }
  return nodes;
}

bool PlainlyEligible(const Tree& tree, const Eligibility& rule, NodeId node) {
  if (tree.Node(node).kernel_hash == 0) return false;
  const int children = tree.ChildCount(node);
  if (node == kRootNode) {
    const auto busy = std::int64_t{children} + tree.InFlight(node);
    if (busy >= rule.max_root_children) return false;
  }
  return children <= rule.max_failing_children ||
         tree.FailingChildCount(node) < children;
}

// The policies' common needs by scanning every node: the fastest eligible one,
// and a uniform eligible leaf (by reservoir sampling).
NodeId PlainScan(const Tree& tree, const Eligibility& rule,
                 RandomStream& stream) {
  const bool explore = stream.Uniform() < 0.3;
  NodeId best = kRootNode;
  double runtime_s = std::numeric_limits<double>::infinity();
  std::uint64_t leaves = 0;
  for (std::int64_t i = 0; i < tree.Size(); ++i) {
    const NodeId node{i};
    if (!PlainlyEligible(tree, rule, node)) continue;
    if (explore) {
      if (tree.ChildCount(node) + tree.InFlight(node) > 0) continue;
      if (stream.Below(++leaves) == 0) best = node;
    } else if (tree.Node(node).runtime_s.value_or(runtime_s) < runtime_s) {
      best = node;
      runtime_s = *tree.Node(node).runtime_s;
    }
  }
  return best;
}

// Keeps the optimiser from dropping a call whose answer nobody wants.
void Use(NodeId node) { asm volatile("" : : "r"(Index(node))); }

void Print(std::int64_t size, const std::string& what, const Cost& cost,
           double scan_ns) {
  std::printf("%9lld  %-16s %10.0f %10.0f %10.0f", static_cast<long long>(size),
              what.c_str(), cost.median_ns, cost.p99_ns, cost.max_ns);
  if (scan_ns > 0) {
    std::printf(" %12.0f %9.0fx", scan_ns, scan_ns / cost.median_ns);
  }
  std::printf("\n");
}

std::size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

Tree Grow(const std::vector<NodeSummary>& nodes, Tree tree) {
  for (const NodeSummary& node : nodes) tree.Add(node);
  for (std::int64_t i = 0; i < 8; ++i) tree.BeginAttempt(NodeId{i});
  return tree;
}

void BenchmarkTree(std::int64_t size, const std::vector<NodeSummary>& nodes) {
  const Eligibility rule = {.max_root_children = 5, .max_failing_children = 3};
  const std::size_t bytes = HeapBytes();
  const auto start = Clock::now();
  Tree tree = Grow(nodes, Tree(rule));
  const double rebuild_s = Seconds(Clock::now() - start);
  const double bytes_a_node = static_cast<double>(HeapBytes() - bytes) /
                              static_cast<double>(tree.Size());
  RandomStream stream(2, Purpose::kSimulation, 0);
  Print(size, "leaders (2)",
        Measure(20000,
                [&] {
                  const auto outside =
                      stream.Below(static_cast<std::uint64_t>(tree.Size()));
                  for (const NodeId node : tree.Leaders(
                           NodeId{static_cast<std::int64_t>(outside)}, 2)) {
                    Use(node);
                  }
                }),
        0);

  Tree grown(rule);
  std::size_t next = 0;
  Print(size, "add",
        Measure(static_cast<int>(size), [&] { grown.Add(nodes[next++]); }), 0);
  std::printf("%9lld  rebuild %.4f s, %.0f bytes a node\n\n",
              static_cast<long long>(size), rebuild_s, bytes_a_node);
}

void BenchmarkPolicies(std::int64_t size,
                       const std::vector<NodeSummary>& nodes) {
  for (const std::string_view name : PolicyNames()) {
    const auto policy = MakePolicy(name);
    const Eligibility rule = (*policy)->Rule();
    const std::size_t bytes = HeapBytes();
    const auto start = Clock::now();
    const Tree tree = Grow(nodes, MakeTreeFor(**policy));
    const double rebuild_s = Seconds(Clock::now() - start);
    const double bytes_a_node =
        static_cast<double>(HeapBytes() - bytes) / static_cast<double>(size);
    std::uint64_t index = 0;
    const int scans =
        static_cast<int>(std::clamp<std::int64_t>(2'000'000 / size, 20, 200));
    const Cost scan = Measure(scans, [&] {
      RandomStream stream(3, Purpose::kSelect, index++);
      Use(PlainScan(tree, rule, stream));
    });
    const Cost select = Measure(20000, [&] {
      RandomStream stream(3, Purpose::kSelect, index++);
      Use((*policy)->Select(tree, stream).node);
    });
    // The other two need no search of the tree, by whatever means.
    const bool searches = name != "best_of_k" && name != "reflexion";
    Print(size, std::string(name), select, searches ? scan.median_ns : 0.0);
    std::printf("%9lld  %-16s rebuild %.4f s, %.0f bytes a node\n",
                static_cast<long long>(size), "", rebuild_s, bytes_a_node);
  }
}

int Deepest(const Tree& tree) {
  int deepest = 0;
  for (std::int64_t n = 0; n < tree.Size(); ++n) {
    deepest = std::max(deepest, static_cast<int>(tree.Depth(NodeId{n})));
  }
  return deepest;
}

void BenchmarkOwnTrees(const Policy& policy, std::int64_t largest) {
  const TaskLaw law = *CalibratedLaw("nk/1");
  constexpr std::uint64_t kSeed = 1;
  InMemoryCampaign campaign(policy, law.TaskOf(kSeed), law.root_runtime_s(),
                            kSeed, Workforce::kTeam);
  const Tree& tree = campaign.tree();
  for (std::int64_t size = 1000; size <= largest; size *= 10) {
    const std::int64_t before = tree.Size();
    const auto start = Clock::now();
    while (tree.Size() < size) campaign.Step();
    const double step_ns = 1e9 * Seconds(Clock::now() - start) /
                           static_cast<double>(size - before);
    std::uint64_t index = 0;
    const Cost select = Measure(5000, [&] {
      RandomStream stream(3, Purpose::kSelect, index++);
      Use(policy.Select(tree, stream).node);
    });
    std::printf("%9lld  %-16s %10.0f %10.0f %10.0f %8d %12.0f\n",
                static_cast<long long>(size),
                std::string(policy.Name()).c_str(), select.median_ns,
                select.p99_ns, select.max_ns, Deepest(tree), step_ns);
    std::fflush(stdout);
  }
}

void RunOwn(std::int64_t largest) {
  std::printf("%9s  %-16s %10s %10s %10s %8s %12s\n", "nodes", "select",
              "median ns", "p99 ns", "max ns", "depth", "an attempt");
  for (const std::string_view name : PolicyNames()) {
    BenchmarkOwnTrees(**MakePolicy(name), largest);
  }
}

void Run(std::int64_t largest) {
  const Cost clock = Measure(20000, [] {});
  std::printf("clock: %.0f ns\n\n%9s  %-16s %10s %10s %10s %12s %10s\n",
              clock.median_ns, "nodes", "operation", "median ns", "p99 ns",
              "max ns", "scan ns", "ratio");
  for (std::int64_t size = 1000; size <= largest; size *= 10) {
    const std::vector<NodeSummary> nodes = RandomNodes(size);
    BenchmarkPolicies(size, nodes);
    BenchmarkTree(size, nodes);
  }
}

}  // namespace
}  // namespace coppice::search

int main(int argc, char** argv) {
  const bool own = argc > 1 && std::string_view(argv[1]) == "own";
  const int size_at = own ? 2 : 1;
  const long long largest =
      argc > size_at ? std::atoll(argv[size_at]) : 1'000'000;
  if (largest < 1000 || argc > size_at + 1) {
    std::fprintf(stderr,
                 "usage: selection_benchmark [own] [LARGEST_TREE >= 1000]\n");
    return 2;
  }
  if (own) {
    coppice::search::RunOwn(largest);
  } else {
    coppice::search::Run(largest);
  }
  return 0;
}
