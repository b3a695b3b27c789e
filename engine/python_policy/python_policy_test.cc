#include "engine/python_policy/python_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "agents/provider/test_timer.h"
#include "engine/python_policy/policy_process.h"
#include "search/random_tree.h"
#include "search/text_tree.h"

namespace coppice::engine {
namespace {

using search::BuildTree;
using search::MakeTreeFor;
using search::Policy;
using search::Selection;
using search::TextTree;
using search::Tree;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kSource[] = COPPICE_SOURCE_DIR;

PythonTerms Terms() {
  PythonTerms terms;
  terms.python = "python3";
  terms.script = std::string(kSource) + "/python/coppice_kernels/policy.py";
  terms.timeout_s = 60;
  terms.timer = std::make_shared<agents::RealTimer>();
  return terms;
}

// A class Mine of these lines.
PolicyFile FileOf(const std::string& lines) {
  return {"mine.py", "Mine", "from coppice_kernels.policy import *\n" + lines,
          "python:Mine@0"};
}

// A class Mine whose method select() has these lines.
PolicyFile Selecting(const std::string& lines, const std::string& above = "") {
  std::string text =
      above + "class Mine(Policy):\n  def select(self, tree, stream):\n";
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    text += "    " + lines.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return FileOf(text);
}

Selection SelectAt(const Policy& policy, const Tree& tree,
                   std::uint64_t decision) {
  RandomStream stream(7, Purpose::kSelect, decision);
  return policy.Select(tree, stream);
}

std::string FailureOf(const PolicyFile& file, std::string_view text,
                      PythonTerms terms = Terms()) {
  const auto policy = MakePythonPolicy(file, terms);
  if (!policy) return policy.error().what;
  const Tree tree = BuildTree(search::ParseTree(text), **policy);
  const Selection selection = SelectAt(**policy, tree, 3);
  return selection.failure ? selection.failure->what : "none";
}

int Given(const char* name, int otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::atoi(given);
}

// They grow as campaigns do: with attempts in flight, and by rebuilding.
TEST(PythonPolicyTest, DecidesAsTheSameRuleInThisProgramDoes) {
  const int trees = Given("COPPICE_POLICY_TREES", 300);
  const auto seed =
      static_cast<std::uint64_t>(Given("COPPICE_POLICY_SEED", 21));
  const std::string file = std::string(kSource) + "/docs/policies/stark.py:";
  for (const auto& [name, class_name] : {std::pair("greedy", "Greedy"),
                                         {"epsilon_greedy", "EpsilonGreedy"},
                                         {"stark", "Stark"}}) {
    const auto theirs = MakePythonPolicy(
        ReadPolicyFile("python:" + file + class_name).value(), Terms());
    ASSERT_TRUE(theirs.has_value()) << theirs.error().what;
    const auto ours = search::MakePolicy(name).value();
    RandomStream random(seed, Purpose::kSimulation, 0);
    for (int i = 0; i < trees; ++i) {
      const TextTree text = search::RandomTree(random);
      const Tree mine = BuildTree(text, *ours);
      const Tree its = BuildTree(text, **theirs);
      const auto decision = static_cast<std::uint64_t>(i);
      const Selection expected = SelectAt(*ours, mine, decision);
      const Selection selected = SelectAt(**theirs, its, decision);
      ASSERT_FALSE(selected.failure) << selected.failure->what;
      ASSERT_EQ(selected.node, expected.node) << name << ", tree " << i;
      ASSERT_EQ(selected.reason, expected.reason) << name << ", tree " << i;
    }
  }
}

TEST(PythonPolicyTest, DrawsTheSameNumbers) {
  const auto policy =
      MakePythonPolicy(
          Selecting("drawn = [stream.uniform(), stream.normal(), "
                    "stream.gamma(0.5), stream.gamma(2.5), stream.beta(2, 3), "
                    "float(stream.below(10**15))]\n"
                    "return Selection(0, ' '.join(x.hex() for x in drawn))"),
          Terms())
          .value();
  const Tree tree = BuildTree(search::ParseTree("n0 10ms\n"), *policy);
  for (std::uint64_t decision = 0; decision < 40; ++decision) {
    const std::string reason = SelectAt(*policy, tree, decision).reason;
    RandomStream stream(7, Purpose::kSelect, decision);
    const double uniform = stream.Uniform();
    const double normal = stream.Normal();
    const double flat = stream.Gamma(0.5);
    const double steep = stream.Gamma(2.5);
    const double beta = stream.Beta(2, 3);
    const auto below = static_cast<double>(stream.Below(1'000'000'000'000'000));
    const char* at = reason.c_str();
    for (const double expected : {uniform, normal, flat, steep, beta, below}) {
      char* end = nullptr;
      ASSERT_EQ(std::strtod(at, &end), expected) << reason;
      at = end;
    }
  }
}

// Each decision of one tree that grows: the child is told of changes alone.
TEST(PythonPolicyTest, IsToldOfWhatChanges) {
  const auto theirs =
      MakePythonPolicy(ReadPolicyFile("python:" + std::string(kSource) +
                                      "/docs/policies/stark.py:Stark")
                           .value(),
                       Terms());
  ASSERT_TRUE(theirs.has_value()) << theirs.error().what;
  const auto ours = search::MakePolicy("stark").value();
  RandomStream random(22, Purpose::kSimulation, 0);
  for (int i = 0; i < 20; ++i) {
    Tree mine = MakeTreeFor(*ours);
    Tree its = MakeTreeFor(**theirs);
    std::uint64_t decision = 0;
    for (const NodeSummary& node : search::RandomTree(random).nodes) {
      for (Tree* tree : {&mine, &its}) {
        if (node.parent) tree->BeginAttempt(*node.parent);
      }
      if (node.parent) {
        ASSERT_EQ(SelectAt(**theirs, its, decision).reason,
                  SelectAt(*ours, mine, decision).reason);
        ++decision;
      }
      for (Tree* tree : {&mine, &its}) {
        if (node.parent) tree->EndAttempt(*node.parent);
        tree->Add(node);
      }
      ASSERT_EQ(SelectAt(**theirs, its, decision).reason,
                SelectAt(*ours, mine, decision).reason);
      ++decision;
    }
  }
}

// A node was refuted, one frozen, and an attempt has ended meanwhile.
TEST(PythonPolicyTest, HearsOfNodesThatCountForSomethingElse) {
  const auto policy =
      MakePythonPolicy(
          Selecting("return Selection(tree.best_eligible, "
                    "f'{list(tree.verdict)} {list(tree.is_frozen)} "
                    "{list(tree.in_flight)} {self.seen}')",
                    "class Seen(Policy):\n"
                    "  def __init__(self): self.seen = ''\n"
                    "  def on_add(self, node): self.seen += 'ny'[node.passes]\n"
                    "Policy = Seen\n"),
          Terms())
          .value();
  TextTree text = search::ParseTree(
      "n0 10ms\n"
      "  n1 8ms\n"
      "  n2 6ms +1\n"
      "  n3 9ms\n"
      "  n4 failed\n"
      "  n5 failed\n"
      "  n6 failed\n"
      "  n7 failed\n");
  std::optional<Tree> tree = BuildTree(text, *policy);
  Selection selection = SelectAt(*policy, *tree, 0);
  ASSERT_FALSE(selection.failure) << selection.failure->what;
  EXPECT_EQ(selection.node, NodeId{2});
  EXPECT_EQ(selection.reason,
            "[0, 0, 0, 0, 4, 4, 4, 4] [0, 0, 0, 0, 0, 0, 0, 0] "
            "[0, 0, 1, 0, 0, 0, 0, 0] yyyynnnn");
  tree.reset();
  text.nodes[2].verdict = Verdict::kWrongOutput;
  text.nodes[2].runtime_s.reset();
  text.nodes[1].is_frozen = true;
  text.in_flight.clear();
  tree = BuildTree(text, *policy);
  selection = SelectAt(*policy, *tree, 1);
  ASSERT_FALSE(selection.failure) << selection.failure->what;
  EXPECT_EQ(selection.node, NodeId{3});
  EXPECT_EQ(selection.reason,
            "[0, 0, 4, 0, 4, 4, 4, 4] [0, 1, 0, 0, 0, 0, 0, 0] "
            "[0, 0, 0, 0, 0, 0, 0, 0] yynynnnn");
}

TEST(PythonPolicyTest, ItsRuleIsTheTreesRule) {
  const auto policy = MakePythonPolicy(
      FileOf("class Mine(Policy):\n"
             "  max_root_children = 4\n"
             "  looks_ahead = True\n"
             "  def select(self, tree, stream):\n"
             "    return Selection(0, f'{tree.attempts_left} left')\n"),
      Terms());
  ASSERT_TRUE(policy.has_value()) << policy.error().what;
  EXPECT_EQ((*policy)->Name(), "python:Mine@0");
  EXPECT_EQ((*policy)->Rule().max_root_children, 4);
  EXPECT_EQ((*policy)->Rule().max_failing_children,
            search::Eligibility::kNoLimit);
  EXPECT_TRUE((*policy)->LooksAhead());
  Tree tree = BuildTree(search::ParseTree("n0 10ms\n"), **policy);
  tree.SetAttemptsLeft(12);
  EXPECT_EQ(SelectAt(**policy, tree, 0).reason, "12 left");
}

TEST(PythonPolicyTest, WhatItPrintsIsNoAnswer) {
  EXPECT_EQ(FailureOf(Selecting("print('{}')\n"
                                "import os; os.write(1, b'junk\\n')\n"
                                "return Selection(0, input.__name__)"),
                      "n0 10ms\n"),
            "none");
}

TEST(PythonPolicyTest, ATracebackSaysWhatFailed) {
  EXPECT_THAT(
      FailureOf(Selecting("return Selection(tree.bset, 'x')"), "n0 10ms\n"),
      AllOf(HasSubstr("python:Mine@0: decision 3: "),
            HasSubstr("File \"mine.py\", line 4, in select"),
            HasSubstr("return Selection(tree.bset, 'x')"),
            HasSubstr("'Tree' object has no attribute 'bset'")));
}

TEST(PythonPolicyTest, OneThatDiesSaysItsLastWords) {
  EXPECT_THAT(FailureOf(Selecting("import os, sys\n"
                                  "print('no more')\n"
                                  "sys.stderr.flush()\n"
                                  "os._exit(3)"),
                        "n0 10ms\n"),
              HasSubstr("its process died; it said:\nno more"));
}

TEST(PythonPolicyTest, OneThatThinksForLongIsTooLate) {
  PythonTerms terms = Terms();
  terms.timeout_s = 1;
  EXPECT_THAT(FailureOf(Selecting("while True: pass"), "n0 10ms\n", terms),
              HasSubstr("gave no answer in 1 s (--policy-timeout-s)"));
}

TEST(PythonPolicyTest, WhatMayNotBeChosenFails) {
  constexpr char kTree[] = "n0 10ms\n  n1 none\n";
  const auto choosing = [&](const std::string& node) {
    return FailureOf(Selecting("return Selection(" + node + ", 'x')"), kTree);
  };
  EXPECT_EQ(choosing("0"), "none");
  EXPECT_THAT(choosing("1"), HasSubstr("chose node 1, which is not eligible"));
  EXPECT_THAT(choosing("2"), HasSubstr("chose node 2, and there are 2"));
  EXPECT_THAT(choosing("-1"), HasSubstr("chose node -1, and there are 2"));
  EXPECT_THAT(choosing("None"), HasSubstr("None, which is no number"));
  EXPECT_THAT(choosing("2**70"), HasSubstr("what is no answer"));
  EXPECT_THAT(choosing("0, 'x', mate=0) or (0"), HasSubstr("as a mate"));
  EXPECT_THAT(choosing("0, 'a\\nb') or (0"), HasSubstr("more than one line"));
}

// By an index that select() changes, by a global, by the order of a set, by
// the clock: all are found at the first decision that is asked again.
TEST(PythonPolicyTest, OneThatIsNotPureIsFoundOut) {
  PythonTerms terms = Terms();
  terms.check_all = true;
  constexpr char kTree[] = "n0 10ms\n  n1 8ms\n";
  const std::string select =
      "class Mine(Policy):\n"
      "  def select(self, tree, stream):\n    ";
  for (const char* impure :
       {"import time; return Selection(0, str(time.perf_counter()))",
        "import random; return Selection(0, str(random.random()))",
        "return Selection(0, ' '.join({str(i) for i in range(50)}))",
        "return Selection(0, str(id(tree)) + str(id(stream)) + "
        "str(__import__('os').getpid()))"}) {
    EXPECT_THAT(FailureOf(FileOf(select + impure + "\n"), kTree, terms),
                HasSubstr("is not a pure function of the tree"))
        << impure;
  }
  const auto counts =
      MakePythonPolicy(FileOf("class Mine(Policy):\n"
                              "  asked = 0\n"
                              "  def select(self, tree, stream):\n"
                              "    self.asked += 1\n"
                              "    return Selection(0, str(self.asked))\n"),
                       Terms())
          .value();
  const Tree tree = BuildTree(search::ParseTree(kTree), *counts);
  // Decision 15 is the first that is asked again.
  for (std::uint64_t decision = 0; decision < 15; ++decision) {
    ASSERT_FALSE(SelectAt(*counts, tree, decision).failure);
  }
  const Selection found = SelectAt(*counts, tree, 15);
  ASSERT_TRUE(found.failure);
  EXPECT_THAT(found.failure->what,
              AllOf(HasSubstr("it chose node 0 (16)"), HasSubstr("(1)")));
  // It goes on failing.
  EXPECT_TRUE(SelectAt(*counts, tree, 16).failure);
}

TEST(PythonPolicyTest, AFileThatDoesNotLoadSaysWhy) {
  const auto error_of = [](const PolicyFile& file) {
    const auto policy = MakePythonPolicy(file, Terms());
    return policy ? "none" : policy.error().what;
  };
  EXPECT_THAT(error_of(FileOf("class Mine(Policy:\n")),
              HasSubstr("SyntaxError"));
  EXPECT_THAT(error_of(FileOf("class Other(Policy): pass\n")),
              HasSubstr("mine.py has no policy 'Mine'; it has Other"));
  EXPECT_THAT(error_of(FileOf("import no_such_module\n")),
              HasSubstr("No module named 'no_such_module'"));
  PythonTerms terms = Terms();
  terms.python = "no-such-python";
  const auto policy = MakePythonPolicy(FileOf(""), terms);
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().code, Errc::kUsage);
  EXPECT_THAT(policy.error().what,
              AllOf(HasSubstr("no-such-python"), HasSubstr("--policy-python")));
}

// Two trees at a time have a child each.
TEST(PythonPolicyTest, TreesSideBySideDoNotMix) {
  const auto policy =
      MakePythonPolicy(Selecting("return Selection(0, str(len(tree)))"),
                       Terms())
          .value();
  const Tree one = BuildTree(search::ParseTree("n0 10ms\n"), *policy);
  const Tree two = BuildTree(search::ParseTree("n0 10ms\n  n1 8ms\n"), *policy);
  for (std::uint64_t decision = 0; decision < 3; ++decision) {
    EXPECT_EQ(SelectAt(*policy, one, decision).reason, "1");
    EXPECT_EQ(SelectAt(*policy, two, decision).reason, "2");
  }
}

}  // namespace
}  // namespace coppice::engine
