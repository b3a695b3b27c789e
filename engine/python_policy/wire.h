// The messages of coppice-policy/1, a line of JSON each.
// docs/python_policies.md has them; python/coppice_kernels/policy.py is the
// other side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/python_policy/policy_file.h"
#include "search/tree.h"
#include "store/records/node.h"
#include "store/records/random.h"
#include "store/records/result.h"

namespace coppice::engine {

// What a child says of its policy.
struct PolicyTraits {
  search::Eligibility rule;
  bool looks_ahead = false;
  std::string place;     // FILE:LINE of its method; empty: not known.
  std::string suspects;  // What in its text may keep it from being pure.
};

// What it chose.
struct ChildChoice {
  std::int64_t node = 0;
  std::string reason;
  std::optional<std::int64_t> mate;
  bool operator==(const ChildChoice&) const = default;
};

// A decision that takes longer than `timeout_s` fails there.
std::string HelloLine(const PolicyFile& policy, double timeout_s);
std::string TreeLine();  // Begins another tree, which is empty.
std::string FlightLine(bool begins, NodeId parent);
std::string SelectLine(const RandomStream& stream,
                       std::optional<std::int64_t> attempts_left);

// A line of several nodes, in their order.
class NodeLines {
 public:
  // `quarantine`: they were told before, and count for something else now.
  enum class Kind : std::uint8_t { kAdd, kQuarantine };
  explicit NodeLines(Kind kind);

  void Add(const NodeSummary& node);
  std::string Take();  // Empty if there are none.

 private:
  const Kind kind_;
  std::string line_;
};

// kUsage, with the child's own words, if it says that it failed; kCorrupt if it
// is no answer.
Result<PolicyTraits> ParseHello(const std::string& line);
Result<ChildChoice> ParseChoice(const std::string& line);

}  // namespace coppice::engine
