#include "engine/compare/budget_crossing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "config/presets.h"
#include "engine/compare/contender.h"
#include "search/constants.h"
#include "search/policy.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kShared = "(as the others)";

struct Named {
  std::string factor;
  std::string level;
};

std::string LevelText(double number) {
  char text[32];
  return {text, std::to_chars(text, std::end(text), number).ptr};
}

// "shinka:cross=0" in parts.
struct ParsedPolicy {
  std::string base;
  std::vector<search::Constant> constants;
  std::vector<double> values;

  // The policy without the constants in `names`, which are factors of their
  // own.
  std::string Without(const std::vector<std::string>& names) const {
    std::vector<double> rest = values;
    for (std::size_t i = 0; i < constants.size(); ++i) {
      const bool is_factor =
          std::ranges::find(names, constants[i].name) != names.end();
      if (is_factor) rest[i] = constants[i].standard;
    }
    const std::string text = search::PrintConstants(constants, rest);
    return text.empty() ? base : base + ":" + text;
  }
};

Result<ParsedPolicy> Parse(const std::string& policy) {
  ParsedPolicy parsed;
  const std::size_t colon = std::min(policy.find(':'), policy.size());
  parsed.base = policy.substr(0, colon);
  parsed.constants = search::ConstantsOf(parsed.base);
  const std::string text =
      colon == policy.size() ? "" : policy.substr(colon + 1);
  TRY_ASSIGN(parsed.values, search::ReadConstants(text, parsed.constants));
  return parsed;
}

std::vector<std::string> ConstantsOfAll(
    const std::vector<ParsedPolicy>& policies) {
  std::vector<std::string> names;
  for (const search::Constant& constant : policies.front().constants) {
    const bool all_have_it =
        std::ranges::all_of(policies, [&](const ParsedPolicy& policy) {
          return std::ranges::find(policy.constants, constant.name,
                                   &search::Constant::name) !=
                 policy.constants.end();
        });
    if (all_have_it) names.emplace_back(constant.name);
  }
  return names;
}

std::vector<Named> LevelsOf(const Contender& contender,
                            const ParsedPolicy& policy,
                            const std::vector<std::string>& constants) {
  std::vector<Named> levels = {{"policy", policy.Without(constants)}};
  for (const std::string& name : constants) {
    const auto found =
        std::ranges::find(policy.constants, name, &search::Constant::name);
    const auto place =
        static_cast<std::size_t>(found - policy.constants.begin());
    levels.push_back({name, LevelText(policy.values[place])});
  }
  for (const std::string_view axis : Axes()) {
    const auto own =
        std::ranges::find(contender.settings, axis, &config::Override::key);
    const bool has_own = own != contender.settings.end();
    levels.push_back(
        {std::string(axis), std::string(has_own ? own->value : kShared)});
    if (axis == "agents") levels.back().level = AgentsOf(contender);
  }
  return levels;
}

// All of them have the same factors in the same order.
lab::Design Cross(const std::vector<std::string>& contenders,
                  const std::vector<std::vector<Named>>& levels) {
  lab::Design design;
  for (const std::string& contender : contenders) {
    design.cells.push_back({contender, {}});
  }
  for (std::size_t f = 0; f < levels.front().size(); ++f) {
    lab::Factor factor{levels.front()[f].factor, {}};
    std::vector<std::size_t> places;
    for (const std::vector<Named>& own : levels) {
      const auto known = std::ranges::find(factor.levels, own[f].level);
      places.push_back(static_cast<std::size_t>(known - factor.levels.begin()));
      if (known == factor.levels.end()) factor.levels.push_back(own[f].level);
    }
    if (factor.levels.size() < 2) continue;
    design.factors.push_back(std::move(factor));
    for (std::size_t c = 0; c < places.size(); ++c) {
      design.cells[c].levels.push_back(places[c]);
    }
  }
  return design;
}

bool IsFull(const lab::Design& design) {
  std::size_t combinations = 1;
  for (const lab::Factor& factor : design.factors) {
    combinations *= factor.levels.size();
  }
  std::set<std::vector<std::size_t>> cells;
  for (const lab::DesignCell& cell : design.cells) cells.insert(cell.levels);
  return cells.size() == combinations && cells.size() == design.cells.size();
}

}  // namespace

Result<lab::Design> DesignOf(const std::vector<std::string>& contenders) {
  std::vector<ParsedPolicy> policies;
  for (const std::string& name : contenders) {
    TRY(policy, Parse(ContenderOf(name).policy));
    policies.push_back(std::move(policy));
  }
  const std::vector<std::string> shared = ConstantsOfAll(policies);
  for (const auto& constants : {shared, std::vector<std::string>()}) {
    std::vector<std::vector<Named>> levels;
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      levels.push_back(
          LevelsOf(ContenderOf(contenders[c]), policies[c], constants));
    }
    lab::Design design = Cross(contenders, levels);
    if (design.factors.empty()) {
      return Fail(Errc::kUsage, contenders.front() +
                                    " alone is nothing to cross; give two "
                                    "levels of something, as in --vary "
                                    "agents=team,alone");
    }
    if (IsFull(design)) return design;
  }
  return Fail(Errc::kUsage,
              "the contenders are not all levels crossed with each other; "
              "give levels by --vary, as in --vary agents=team,alone");
}

std::vector<SamplingBaseline> Samplings(bool in_memory) {
  std::vector<SamplingBaseline> samplings = {
      {"independent sampling", "sampling", ""},
      {"sequential sampling", "reflexion", ""}};
  const std::vector<std::string_view> axes = Axes();
  for (SamplingBaseline& sampling : samplings) {
    Contender contender;
    for (const auto& [key, value] :
         (*config::FindPreset(sampling.preset))->values) {
      if (key == "policy") {
        contender.policy = value;
      } else if (key == "agents") {
        contender.alone = value == "alone";
      } else if (!in_memory && std::ranges::find(axes, key) != axes.end()) {
        contender.settings.push_back({std::string(key), std::string(value)});
      }
    }
    sampling.policy = NameOf(contender);
  }
  return samplings;
}

}  // namespace coppice::engine
