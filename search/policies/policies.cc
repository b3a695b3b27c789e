#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>

#include "search/constants.h"
#include "search/policies/ab_mcts_a.h"
#include "search/policies/ab_mcts_gain.h"
#include "search/policies/aide.h"
#include "search/policies/beam.h"
#include "search/policies/best_of_k.h"
#include "search/policies/epsilon_greedy.h"
#include "search/policies/evolutionary.h"
#include "search/policies/greedy.h"
#include "search/policies/islands.h"
#include "search/policies/map_elites.h"
#include "search/policies/mcts.h"
#include "search/policies/operator_bandit.h"
#include "search/policies/puct.h"
#include "search/policies/reflexion.h"
#include "search/policies/shinka.h"
#include "search/policies/shinka_repairing.h"
#include "search/policies/stark.h"
#include "search/policies/stark_debug.h"
#include "search/policies/successive_halving.h"
#include "search/policies/treequest_mcts.h"
#include "search/policies/xei.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

// `values` has one for each constant.
struct Entry {
  std::string_view name;
  std::vector<Constant> constants;
  std::function<std::unique_ptr<Policy>(std::span<const double> values)> make;
};

template <class Options, std::size_t N>
Entry With(std::string_view name, const ConstantOf<Options> (&table)[N],
           std::unique_ptr<Policy> (*make)(Options)) {
  return {name, Describe(table),
          [&table, make](std::span<const double> values) {
            return make(OptionsOf(table, values));
          }};
}

Entry Without(std::string_view name, std::unique_ptr<Policy> (*make)()) {
  return {name, {}, [make](std::span<const double>) { return make(); }};
}

// They have the constants of several rules.
Entry XeiHint() {
  std::vector<Constant> constants = Describe(kXeiConstants);
  std::ranges::copy(Describe(kLeaveConstants), std::back_inserter(constants));
  std::ranges::copy(Describe(kRepairConstants), std::back_inserter(constants));
  std::ranges::copy(Describe(kAheadConstants), std::back_inserter(constants));
  return {
      "xei_hint", std::move(constants), [](std::span<const double> values) {
        constexpr std::size_t kOwn = std::size(kXeiConstants);
        constexpr std::size_t kLeave = std::size(kLeaveConstants);
        constexpr std::size_t kRepair = std::size(kRepairConstants);
        return MakeXeiHint(
            OptionsOf(kXeiConstants, values.first(kOwn)),
            OptionsOf(kLeaveConstants, values.subspan(kOwn, kLeave)),
            OptionsOf(kRepairConstants, values.subspan(kOwn + kLeave, kRepair)),
            OptionsOf(kAheadConstants,
                      values.subspan(kOwn + kLeave + kRepair)));
      }};
}

Entry XeiB() {
  std::vector<Constant> constants = Describe(kXeiConstants);
  for (const Constant& constant : Describe(kLeaveConstants)) {
    constants.push_back(constant);
  }
  return {"xei_b", std::move(constants), [](std::span<const double> values) {
            constexpr std::size_t kOwn = std::size(kXeiConstants);
            return MakeXeiB(OptionsOf(kXeiConstants, values.first(kOwn)),
                            OptionsOf(kLeaveConstants, values.subspan(kOwn)));
          }};
}

const std::vector<Entry>& Policies() {
  static const std::vector<Entry> kPolicies = {
      With("stark", kStarkConstants, MakeStark),
      With("best_of_k", kBestOfKConstants, MakeBestOfK),
      Without("reflexion", MakeReflexion),
      Without("greedy", MakeGreedy),
      With("epsilon_greedy", kEpsilonGreedyConstants, MakeEpsilonGreedy),
      Without("ab_mcts_a", MakeAbMctsA),
      Without("ab_mcts_a_beta", MakeAbMctsABeta),
      Without("ab_mcts_gain", MakeAbMctsGain),
      Without("ab_mcts_gain_beta", MakeAbMctsGainBeta),
      With("aide", kAideConstants, MakeAide),
      With("beam", kBeamConstants, MakeBeam),
      With("evolutionary", kEvolutionaryConstants, MakeEvolutionary),
      With("halving", kHalvingConstants, MakeSuccessiveHalving),
      With("islands", kIslandsConstants, MakeIslands),
      With("map_elites_behaviour", kMapElitesConstants, MakeMapElites),
      With("map_elites_depth", kMapElitesDepthConstants, MakeMapElitesDepth),
      With("mcts", kMctsConstants, MakeMcts),
      With("mcts_max", kMctsConstants, MakeMctsMax),
      With("mcts_widening", kWideningConstants, MakeMctsWidening),
      With("operator_bandit", kOperatorBanditConstants, MakeOperatorBandit),
      With("puct", kPuctConstants, MakePuct),
      With("shinka", kShinkaConstants, MakeShinka),
      With("shinka_repairing", kShinkaRepairingConstants, MakeShinkaRepairing),
      With("shinka_repairing_power_law", kShinkaRepairingPowerLawConstants,
           MakeShinkaRepairingPowerLaw),
      With("stark_debug", kStarkDebugConstants, MakeStarkDebug),
      Without("treequest_mcts", MakeTreeQuestMcts),
      With("xei", kXeiConstants, MakeXei),
      XeiB(),
      XeiHint(),
      With("xei_ts", kXeiConstants, MakeXeiTs),
  };
  return kPolicies;
}

// Other names of rules, with or without constants.
struct Alias {
  std::string_view name;
  std::string_view now;
};

constexpr Alias kTyped[] = {
    {"ab_mcts", "ab_mcts_a"},
    {"ab_mcts_beta", "ab_mcts_a_beta"},
    {"map_elites", "map_elites_behaviour"},
};

// Stored before the rules that peers ship, or cells of behaviours, were here,
// which would choose otherwise.
constexpr Alias kStored[] = {
    {"ab_mcts", "ab_mcts_gain"},
    {"ab_mcts_beta", "ab_mcts_gain_beta"},
    {"map_elites", "map_elites_depth"},
    {"shinka_weighted", "shinka_repairing"},
    {"shinka_power_law", "shinka_repairing_power_law"},
};

std::string Resolve(std::string_view text, std::span<const Alias> aliases) {
  const std::string_view name = text.substr(0, text.find(':'));
  const auto alias = std::ranges::find(aliases, name, &Alias::name);
  if (alias == aliases.end()) return std::string(text);
  return std::string(alias->now).append(text.substr(name.size()));
}

// One with other constants than its own: it goes by them in its name, too.
class Tuned final : public Policy {
 public:
  Tuned(std::string name, std::unique_ptr<Policy> rule)
      : name_(std::move(name)), rule_(std::move(rule)) {}

  std::string_view Name() const override { return name_; }
  Eligibility Rule() const override { return rule_->Rule(); }
  bool LooksAhead() const override { return rule_->LooksAhead(); }
  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return rule_->MakeIndex();
  }
  Selection Select(const Tree& tree, RandomStream& stream) const override {
    return rule_->Select(tree, stream);
  }
  Selection SelectAloud(const Tree& tree, RandomStream& stream,
                        Weighing& weighing) const override {
    return rule_->SelectAloud(tree, stream, weighing);
  }

 private:
  const std::string name_;
  const std::unique_ptr<Policy> rule_;
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

// Those of AddPolicy.  Looked up by whoever makes one, so it may grow late.
class Added {
 public:
  static Added& Only() {
    static Added added;
    return added;
  }

  void Put(std::string_view text, PolicyFactory make) {
    const std::lock_guard lock(mutex_);
    factories_.insert_or_assign(std::string(text), std::move(make));
  }

  PolicyFactory Find(std::string_view text) {
    const std::lock_guard lock(mutex_);
    const auto found = factories_.find(text);
    return found == factories_.end() ? PolicyFactory() : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, PolicyFactory, std::less<>> factories_;
};

// No database, and no wish in one, may say what is run.
Error UnknownProgram(std::string_view text) {
  std::string what = "policy '";
  what.append(text).append(
      "': is a program, which no database may have run: say again where its "
      "text is, as in --policy or --policies python:mine.py:Mine");
  return {Errc::kUsage, std::move(what)};
}

Error UnknownPolicy(std::string_view name) {
  const std::vector<Entry>& policies = Policies();
  const auto nearest = std::min_element(
      policies.begin(), policies.end(), [&](const Entry& a, const Entry& b) {
        return EditDistance(name, a.name) < EditDistance(name, b.name);
      });
  std::string what = "policy '";
  what.append(name).append("' is unknown");
  const auto former = std::ranges::find(kStored, name, &Alias::name);
  if (former != std::end(kStored)) {
    what.append("; its rule is ").append(former->now);
    what.append(" now, and ShinkaEvolve's own is shinka.");
  } else if (2 * EditDistance(name, nearest->name) <= nearest->name.size()) {
    // Beyond half of its letters a likeness is chance.
    what.append("; did you mean ").append(nearest->name).append("?");
  } else {
    what.append(".");
  }
  what.append(" Choose one of:");
  for (const Entry& entry : policies) what.append(" ").append(entry.name);
  return {Errc::kUsage, std::move(what)};
}

}  // namespace

Tree MakeTreeFor(const Policy& policy) {
  return Tree(policy.Rule(), policy.MakeIndex());
}

std::vector<std::string_view> PolicyNames() {
  std::vector<std::string_view> names;
  for (const Entry& entry : Policies()) names.push_back(entry.name);
  return names;
}

std::vector<Constant> ConstantsOf(std::string_view name) {
  const auto entry = std::ranges::find(Policies(), name, &Entry::name);
  if (entry == Policies().end()) return {};
  return entry->constants;
}

namespace {

Result<std::unique_ptr<Policy>> Make(std::string_view text) {
  if (const PolicyFactory make = Added::Only().Find(text)) return make();
  if (text.starts_with("python:")) {
    return tl::unexpected<Error>(UnknownProgram(text));
  }
  const std::string_view name = text.substr(0, text.find(':'));
  const std::string_view given =
      name == text ? "" : text.substr(name.size() + 1);
  const auto entry = std::ranges::find(Policies(), name, &Entry::name);
  if (entry == Policies().end()) {
    if (name.ends_with(".py")) {
      return Fail(Errc::kUsage, "policy '" + std::string(text) +
                                    "' is unknown; a class in a file is "
                                    "python:" +
                                    std::string(name) +
                                    (given.empty() ? ":CLASS" : ":") +
                                    std::string(given));
    }
    return tl::unexpected<Error>(UnknownPolicy(name));
  }
  auto values = ReadConstants(given, entry->constants);
  if (!values) {
    return Fail(values.error().code,
                "policy " + std::string(name) + ": " + values.error().what);
  }
  std::unique_ptr<Policy> rule = entry->make(*values);
  const std::string own = PrintConstants(entry->constants, *values);
  if (own.empty()) return rule;
  return std::make_unique<Tuned>(std::string(name) + ":" + own,
                                 std::move(rule));
}

}  // namespace

Result<std::unique_ptr<Policy>> MakePolicy(std::string_view text) {
  return Make(Resolve(text, kTyped));
}

Result<std::unique_ptr<Policy>> MakeStoredPolicy(std::string_view text) {
  return Make(Resolve(text, kStored));
}

void AddPolicy(std::string_view typed, std::string_view name,
               PolicyFactory make) {
  Added::Only().Put(typed, make);
  Added::Only().Put(name, std::move(make));
}

std::string PolicySpelling(std::string_view text) {
  const auto policy = MakePolicy(text);
  return std::string(policy ? (*policy)->Name() : text);
}

std::string StoredPolicySpelling(std::string_view text) {
  const auto policy = MakeStoredPolicy(text);
  return std::string(policy ? (*policy)->Name() : text);
}

}  // namespace coppice::search
