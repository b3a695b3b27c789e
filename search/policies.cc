#include <algorithm>
#include <array>
#include <numeric>

#include "search/ab_mcts.h"
#include "search/aide.h"
#include "search/beam.h"
#include "search/best_of_k.h"
#include "search/epsilon_greedy.h"
#include "search/evolutionary.h"
#include "search/greedy.h"
#include "search/halving.h"
#include "search/islands.h"
#include "search/map_elites.h"
#include "search/mcts.h"
#include "search/operator_bandit.h"
#include "search/policy.h"
#include "search/puct.h"
#include "search/reflexion.h"
#include "search/shinka.h"
#include "search/stark.h"
#include "search/stark_debug.h"
#include "search/xei.h"

namespace coppice::search {
namespace {

struct Entry {
  std::string_view name;  // As Policy::Name().
  std::unique_ptr<Policy> (*make)();
};

constexpr std::array kPolicies = {
    Entry{"stark", [] { return MakeStark(); }},
    Entry{"best_of_k", [] { return MakeBestOfK(); }},
    Entry{"reflexion", [] { return MakeReflexion(); }},
    Entry{"greedy", [] { return MakeGreedy(); }},
    Entry{"epsilon_greedy", [] { return MakeEpsilonGreedy(); }},
    Entry{"ab_mcts", [] { return MakeAbMcts(); }},
    Entry{"ab_mcts_beta", [] { return MakeAbMctsBeta(); }},
    Entry{"aide", [] { return MakeAide(); }},
    Entry{"beam", [] { return MakeBeam(); }},
    Entry{"evolutionary", [] { return MakeEvolutionary(); }},
    Entry{"halving", [] { return MakeHalving(); }},
    Entry{"islands", [] { return MakeIslands(); }},
    Entry{"map_elites", [] { return MakeMapElites(); }},
    Entry{"mcts", [] { return MakeMcts(); }},
    Entry{"mcts_max", [] { return MakeMctsMax(); }},
    Entry{"mcts_widening", [] { return MakeMctsWidening(); }},
    Entry{"operator_bandit", [] { return MakeOperatorBandit(); }},
    Entry{"puct", [] { return MakePuct(); }},
    Entry{"shinka_power_law", [] { return MakeShinkaPowerLaw(); }},
    Entry{"shinka_weighted", [] { return MakeShinkaWeighted(); }},
    Entry{"stark_debug", [] { return MakeStarkDebug(); }},
    Entry{"xei", [] { return MakeXei(); }},
    Entry{"xei_b", [] { return MakeXeiB(); }},
    Entry{"xei_ts", [] { return MakeXeiTs(); }},
};

// Insertions, deletions and substitutions from one to the other (Levenshtein
// 1966), by rows.
std::size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t substituted = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

Error UnknownPolicy(std::string_view name) {
  const auto nearest = std::min_element(
      kPolicies.begin(), kPolicies.end(), [&](const Entry& a, const Entry& b) {
        return EditDistance(name, a.name) < EditDistance(name, b.name);
      });
  std::string what = "policy '";
  what.append(name).append("' is unknown");
  // Beyond half of its letters a likeness is chance.
  if (2 * EditDistance(name, nearest->name) <= nearest->name.size()) {
    what.append("; did you mean ").append(nearest->name).append("?");
  } else {
    what.append(".");
  }
  what.append(" Choose one of:");
  for (const Entry& entry : kPolicies) what.append(" ").append(entry.name);
  return {Errc::kUsage, std::move(what)};
}

}  // namespace

Tree MakeTreeFor(const Policy& policy) {
  return Tree(policy.Rule(), policy.MakeIndex());
}

std::vector<std::string_view> PolicyNames() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kPolicies) names.push_back(entry.name);
  return names;
}

Result<std::unique_ptr<Policy>> MakePolicy(std::string_view name) {
  for (const Entry& entry : kPolicies) {
    if (entry.name == name) return entry.make();
  }
  return tl::unexpected<Error>(UnknownPolicy(name));
}

}  // namespace coppice::search
