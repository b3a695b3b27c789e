// Which agents an attempt asks: of which role, and of that those of the
// settings or whom people name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
struct AttemptRecord;
struct Directive;
struct ModelPick;
enum class Role : std::uint8_t;
enum class Stage : std::uint8_t;
enum class Verdict : std::uint8_t;
}  // namespace coppice
namespace coppice::config {
enum class Agents : std::uint8_t;
}
namespace coppice::search {
class Tree;
}

namespace coppice::engine {

struct Agent;
struct CampaignParts;

// Whose turn it is next in an attempt at `stage`, not coded yet, whose parent
// did what `verdict` says: the code agent's if it works alone, whatever that
// was, or once there is a plan, for a parent that passed when it was made may
// be in quarantine since.
Role RoleFor(config::Agents agents, Stage stage, Verdict verdict);

// The model that was chosen for the attempt, if there are several, or a person
// named one; the first of them, where none was, or one that the role has no
// more.  An Error: the one that a person named cannot be asked now.
Result<const Agent*> AgentOf(const CampaignParts& parts, Role role,
                             const AttemptRecord& attempt);

// Why the model that somebody names cannot be asked in a role it is named for;
// empty: it can.
std::string WhyNotAsked(const CampaignParts& parts, const Directive& directive);

// What a decision picks models by.
struct DecisionScene {
  const search::Tree& tree;
  const std::vector<const Directive*>& in_force;
  NodeId parent{};  // Of the attempt.
  CampaignId campaign{};
  std::uint64_t seed = 0;
  std::int64_t decision = 0;
};

// For those who will be asked, as far as can be told now.  kUsage: a model that
// somebody named cannot be asked any more.
Result<std::vector<ModelPick>> PickModels(const CampaignParts& parts,
                                          const DecisionScene& scene);

}  // namespace coppice::engine
