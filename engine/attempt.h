// The stages of one attempt, each durable before the next begins:
//
//   plan (parent passed) -> code  |  debug (parent failed)  -> evaluate, commit
//
// Running an attempt that a crash interrupted continues it at its first missing
// stage, so no model answer is paid for twice.
#pragma once

#include <cstdint>
#include <string>

#include "engine/parts.h"
#include "search/tree.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/records/result.h"

namespace coppice::engine {

// What a candidate must do that the fast tier finds faster than all others.
enum class Proof : std::uint8_t {
  kNone,
  kFullTier,  // Pass the full tier, too, before it is committed.
};

class AttemptRunner {
 public:
  AttemptRunner(const Parts& parts, CampaignId campaign, std::uint64_t seed,
                const search::Tree& tree, Proof proof)
      : parts_(parts),
        campaign_(campaign),
        seed_(seed),
        tree_(tree),
        proof_(proof) {}

  // Returns the node that was committed.  After an Error the attempt keeps the
  // stages it has and can be run again.
  Result<NodeRecord> Run(AttemptRecord attempt);

 private:
  Result<void> Plan(AttemptRecord& attempt, const NodeRecord& parent);
  Result<void> Write(Role role, AttemptRecord& attempt,
                     const NodeRecord& parent);
  Result<NodeRecord> EvaluateAndCommit(const AttemptRecord& attempt);
  bool WouldBeBest(const Evaluation& evaluation) const;

  const Parts& parts_;
  CampaignId campaign_;
  std::uint64_t seed_;
  const search::Tree& tree_;
  Proof proof_;
};

}  // namespace coppice::engine
