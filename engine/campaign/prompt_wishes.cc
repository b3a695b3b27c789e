#include "engine/campaign/prompt_wishes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "agents/prompt/prompt_context.h"
#include "engine/campaign/prompt_facts.h"
#include "engine/steering/constraints.h"
#include "engine/steering/steering.h"
#include "store/read/history.h"
#include "store/records/directive.h"
#include "store/records/node.h"
#include "store/records/task.h"
#include "store/write/directives.h"

namespace coppice::engine {

Result<void> AddWishes(const CampaignFacts& campaign_facts,
                       const AttemptFacts& attempt_facts,
                       agents::PromptContext& context) {
  TRY(directives,
      store::ReadDirectives(campaign_facts.database, campaign_facts.campaign));
  if (directives.empty()) return {};
  TRY(lineage,
      store::ReadLineage(campaign_facts.database, campaign_facts.campaign,
                         attempt_facts.selected.id));
  const auto is_within = [&](NodeId, NodeId top) {
    return std::ranges::any_of(lineage, [&](const store::Ancestor& each) {
      return each.line.node == top;
    });
  };
  const NodeId parent = attempt_facts.selected.id;
  const auto in_force = InForce(directives, attempt_facts.decision);
  context.wishes = WishesFor(in_force, attempt_facts.role, parent, is_within);
  std::vector<Directive> rules;
  for (const Directive* rule : RulesFor(in_force, parent, is_within)) {
    rules.push_back(*rule);
  }
  if (rules.empty()) return {};
  context.breaks_rule = [rules = std::move(rules),
                         language = campaign_facts.task.root.language](
                            const std::string& source) {
    std::vector<const Directive*> all;
    for (const Directive& rule : rules) all.push_back(&rule);
    return WhySourceBreaks(all, {language, source, ""}).has_value();
  };
  return {};
}

}  // namespace coppice::engine
