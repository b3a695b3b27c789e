// The stages of one attempt, each durable before the next begins:
//
//   plan (parent passed) -> code  |  debug (parent failed)  -> evaluate, tune
//
// An agent that works alone codes at once, whatever the parent did.
//
// Running an attempt that a crash interrupted continues it at its first missing
// stage, so no model answer is paid for twice.
//
// Attempts run side by side, a thread each: the live tree's mutex is held for
// every look at the tree or the store, and never while a model thinks or a
// candidate is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
struct AttemptRecord;
struct Candidate;
struct Evaluation;
struct NodeRecord;
enum class Role : std::uint8_t;
struct Task;
enum class Tier : std::uint8_t;
}  // namespace coppice
namespace coppice::store {
class Database;
}

namespace coppice::engine {

struct AgentContext;
struct CampaignParts;
class Clock;
class EvaluationQueue;
class EvaluationTurn;
class LiveTree;

// What a candidate must do that the fast tier finds faster than all others.
enum class Proof : std::uint8_t {
  kNone,
  kFullTier,  // Pass the full tier, too, before it is committed.
};

class AttemptRunner {
 public:
  AttemptRunner(const CampaignParts& parts, CampaignId campaign,
                std::uint64_t seed, const AgentContext& agent_context,
                EvaluationQueue& queue, Proof proof);
  ~AttemptRunner();

  // Returns the node to commit, which has no number yet.  A candidate of tokens
  // that were judged before is not judged again.  One that passes and leaves
  // numbers open is tuned first: the node's candidate is the best
  // configuration. REQUIRES: the runner lives until the node is committed.
  // After an Error, as kCancelled is, the attempt keeps the stages it has and
  // can be run again; not after kLost, since another process does that.
  Result<NodeRecord> Run(AttemptRecord& attempt);

 private:
  struct Reading;
  Result<Reading> AskFor(
      Role role, const AttemptRecord& attempt, const NodeRecord& parent,
      const std::function<Result<void>(const std::string&)>& read);
  Result<void> Plan(AttemptRecord& attempt, const NodeRecord& parent,
                    const std::string& parent_source);
  Result<void> Write(Role role, AttemptRecord& attempt,
                     const NodeRecord& parent);
  Result<NodeRecord> Evaluate(const AttemptRecord& attempt);
  Result<Evaluation> EvaluateNow(const Candidate& candidate, Tier tier);
  Result<bool> IsOpen(NodeId node);
  Result<bool> IsKnown(NodeRecord& node);
  Result<void> TuneCandidate(NodeRecord& node);
  Result<bool> WouldLead(const Evaluation& evaluation) const;

  const CampaignParts& parts_;
  store::Database& database_;  // These four are of the parts.
  const Task& task_;
  const Clock& clock_;
  const std::int64_t tuning_trials_;
  CampaignId campaign_;
  std::uint64_t seed_;
  const AgentContext& agent_context_;
  LiveTree& live_tree_;
  EvaluationQueue& queue_;
  Proof proof_;
  // From the candidate's turn at the evaluator until the runner is gone: who
  // comes next finds its node committed.
  std::unique_ptr<EvaluationTurn> turn_;
};

}  // namespace coppice::engine
