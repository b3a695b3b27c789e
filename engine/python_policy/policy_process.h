// One child process that a policy in Python is asked of, and what it knows: the
// nodes of one tree and the attempts in flight there.  It is told of changes
// alone, and of a whole tree only where it knew another one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agents/provider/line_child.h"
#include "agents/provider/timer.h"
#include "engine/python_policy/policy_file.h"
#include "engine/python_policy/wire.h"
#include "search/tree.h"

namespace coppice::engine {

struct PythonTerms {
  std::string python;            // The program, found by PATH.
  std::filesystem::path script;  // policy.py, that speaks for the policy.
  double timeout_s = 10.0;       // For a decision.
  bool check_all = false;        // Not only each sixteenth decision.
  std::shared_ptr<agents::Timer> timer;
};

// Not thread-safe.
class PolicyProcess {
 public:
  // Starts the child and has it make the policy.  kUsage: it cannot, and why.
  static Result<std::unique_ptr<PolicyProcess>> Begin(const PolicyFile& policy,
                                                      const PythonTerms& terms);

  const PolicyTraits& traits() const { return traits_; }

  // What has come to the tree that it knows.
  void Add(const NodeSummary& node);
  void SetFlight(NodeId parent, int in_flight);

  // Makes what it knows that tree, however it differs.
  void Learn(const search::Tree& tree);
  // Makes it that tree, told from nothing.
  void LearnAnew(const search::Tree& tree);

  // kUsage, with what the child says, if it fails or is too late.
  Result<ChildChoice> Ask(const RandomStream& stream,
                          std::optional<std::int64_t> attempts_left);

 private:
  PolicyProcess(const PolicyFile& policy, const PythonTerms& terms);
  Result<void> Start();
  Result<std::string> Exchange();
  tl::unexpected<Error> Failed(const Error& error) const;
  void AddFrom(const search::Tree& tree, std::size_t first);
  void Say(const std::string& line);

  const std::string name_;
  const std::string hello_;
  const PythonTerms terms_;
  PolicyTraits traits_;
  std::vector<NodeSummary> known_;
  std::map<NodeId, int> in_flight_;  // Only nodes that have some.
  NodeLines added_;
  std::string unsent_;
  std::size_t untold_ = 0;  // Nodes that it has to take up before it answers.
  // It began the child, and ends after it: the child is killed with it.
  std::jthread keeper_;
  std::unique_ptr<agents::LineChild> child_;
};

}  // namespace coppice::engine
