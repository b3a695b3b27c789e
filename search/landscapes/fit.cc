#include "search/landscapes/fit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "search/landscapes/quantile.h"
#include "store/records/formatted.h"

namespace coppice::search {
namespace {

constexpr std::size_t kDeepest = 3;
constexpr std::size_t kThirds = 3;
constexpr double kConservative = 0.15;  // From the root, in log speedup.
constexpr double kLeastHeight = 0.15;   // As the terrains have it.
constexpr double kLeastCeiling = 0.01;
constexpr double kLeastShortfall = 0.01;
constexpr double kMostShape = 1000.0;  // Of ceilings that hardly differ.
constexpr double kEdits = 0.92;        // Hill: those that do not restructure.
// Medians of absolute values: of N(0, 1), and of Student's t of 4 degrees of
// freedom, which Weak steps by.
constexpr double kNormalMedian = 0.6745;
constexpr double kTailMedian = 0.7407;

double Median(std::vector<double> values) {
  return Quantile(std::move(values), 0.5);
}

// The mean of a binomial's share by Jeffreys' prior: never 0 or 1.
double ShareOf(std::int64_t passed, std::int64_t all) {
  return (static_cast<double>(passed) + 0.5) / (static_cast<double>(all) + 1.0);
}

double FourDigits(double number) {
  return std::strtod(Formatted("%.4g", number).c_str(), nullptr);
}

void Count(const RecordedNode& node, Rate& rate) {
  ++rate.attempts;
  rate.compiled += Compiles(node) ? 1 : 0;
  rate.passed += Passes(node) ? 1 : 0;
}

std::vector<Inheritance> InheritanceOf(
    const std::vector<std::vector<Edit>>& campaigns) {
  std::vector<Inheritance> all;
  for (std::size_t depth = 1; depth <= kDeepest; ++depth) {
    Inheritance one{depth, 0, {}};
    Regression line;
    for (const std::vector<Edit>& edits : campaigns) {
      std::vector<Edit> own = edits;
      std::erase_if(own, [&](const Edit& edit) {
        return std::min(edit.depth, kDeepest) != depth;
      });
      one.edits += own.size();
      line.Add(own);
    }
    one.slope = line.Slope();
    if (one.edits > 0) all.push_back(one);
  }
  return all;
}

double DistanceOf(const Edit& edit) { return edit.best - edit.parent; }

std::vector<Returns> ReturnsOf(std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, {}, DistanceOf);
  std::vector<Returns> all;
  for (std::size_t third = 0; third < kThirds; ++third) {
    const std::size_t begin = edits.size() * third / kThirds;
    const std::size_t end = edits.size() * (third + 1) / kThirds;
    if (begin == end) continue;
    std::vector<double> gains;
    for (std::size_t i = begin; i < end; ++i) {
      gains.push_back(edits[i].child - edits[i].parent);
    }
    const auto improving =
        std::ranges::count_if(gains, [](double gain) { return gain > 0.0; });
    all.push_back(
        {DistanceOf(edits[begin]), DistanceOf(edits[end - 1]), gains.size(),
         static_cast<double>(improving) / static_cast<double>(gains.size()),
         Median(gains)});
  }
  return all;
}

// What one campaign tells of its task.
struct Sight {
  std::vector<double> hops;  // That are not conservative.
  std::vector<Edit> edits;
  double ceiling = 0.0;
  double centre = 0.0;  // Craft::first_hop of the task.

  double Height() const { return std::max(ceiling - centre, kLeastHeight); }
};

double CeilingOf(const RecordedCampaign& campaign) {
  std::vector<double> passing;  // The root among them.
  for (const RecordedNode& node : campaign.nodes) {
    if (Passes(node)) passing.push_back(node.log_speedup);
  }
  std::ranges::sort(passing, std::ranges::greater());
  const double step = passing.size() > 1 ? passing[0] - passing[1] : 0.0;
  return std::max(passing[0] + step, kLeastCeiling);
}

std::vector<Sight> SightsOf(std::span<const RecordedCampaign> campaigns) {
  std::vector<Sight> sights;
  for (const RecordedCampaign& campaign : campaigns) {
    Sight sight{FirstHopsOf(campaign), EditsOf(campaign), CeilingOf(campaign),
                0.0};
    std::erase_if(sight.hops,
                  [](double hop) { return std::abs(hop) < kConservative; });
    if (sight.edits.size() >= 2) sights.push_back(std::move(sight));
  }
  return sights;
}

double InheritedOf(const std::vector<Sight>& sights) {
  Regression line;
  for (const Sight& sight : sights) line.Add(sight.edits);
  return std::clamp(line.Slope().value_or(0.0), 0.0, 0.95);
}

// Weak: where edits regress to.  child = (1 - inherited) centre + inherited
// parent, on average.
void FindCentres(double inherited, std::vector<Sight>& sights) {
  for (Sight& sight : sights) {
    std::vector<double> rests;
    for (const Edit& edit : sight.edits) {
      rests.push_back(edit.child - inherited * edit.parent);
    }
    sight.centre = Mean(rests) / (1.0 - inherited);
  }
}

// Hill: where rewrites land.  Where none of them is a true one, their edits'
// lowest parent.
void FindStarts(std::vector<Sight>& sights) {
  for (Sight& sight : sights) {
    sight.centre = sight.hops.empty()
                       ? std::ranges::min(sight.edits, {}, &Edit::parent).parent
                       : Median(sight.hops);
  }
}

double ShortfallOf(const std::vector<Sight>& sights) {
  std::vector<double> farness;
  for (const Sight& sight : sights) {
    for (const double hop : sight.hops) {
      if (hop >= sight.ceiling) continue;
      farness.push_back(
          std::abs(std::log((sight.ceiling - hop) / sight.Height())));
    }
  }
  if (farness.empty()) return kLeastShortfall;
  return std::max(Median(farness) / kNormalMedian, kLeastShortfall);
}

// Weak: the scale of steps over heights, without measurement noise.
double StepOf(double inherited, double noise,
              const std::vector<Sight>& sights) {
  std::vector<double> rests;
  std::vector<double> noises;
  for (const Sight& sight : sights) {
    for (const Edit& edit : sight.edits) {
      const double rest = edit.child - inherited * edit.parent -
                          (1.0 - inherited) * sight.centre;
      rests.push_back(std::abs(rest) / sight.Height());
      noises.push_back(noise * std::hypot(1.0, inherited) / sight.Height());
    }
  }
  const double all = Median(rests);
  const double of_noise = kNormalMedian * Median(noises);
  return std::sqrt(std::max(all * all - of_noise * of_noise, 0.0)) /
         kTailMedian;
}

// Laws of what tasks differ in.
void FitTasks(const std::vector<Sight>& sights, FittedLaw& law) {
  std::vector<double> ceilings;
  std::vector<double> centres;
  for (const Sight& sight : sights) {
    ceilings.push_back(sight.ceiling);
    centres.push_back(sight.centre);
  }
  Regression line;
  line.Add(ceilings, centres);
  const double mean = Mean(ceilings);
  const double centre = Mean(centres);
  const auto others = static_cast<double>(sights.size() - 1);
  const double variance = line.xx / others;
  const double shape = variance > 0.0
                           ? std::min(mean * mean / variance, kMostShape)
                           : kMostShape;
  law.ceilings = {FourDigits(shape), FourDigits(mean / shape)};
  law.parameters.follows = FourDigits(line.Slope().value_or(0.0));
  double squares = 0.0;
  for (const Sight& sight : sights) {
    const double off = sight.centre - centre -
                       line.Slope().value_or(0.0) * (sight.ceiling - mean);
    squares += off * off;
  }
  law.parameters.first_hop_sd = FourDigits(std::sqrt(squares / others));
  law.parameters.team.craft.first_hop = FourDigits(centre);
}

void FitVerdicts(const Estimates& seen, Parameters& parameters) {
  const Rate& hops = seen.first_hops;
  const Rate& edits = seen.edits;
  const Rate& repairs = seen.repairs;
  const std::int64_t compiled =
      hops.compiled + edits.compiled + repairs.compiled;
  const std::int64_t attempts =
      hops.attempts + edits.attempts + repairs.attempts;
  const double of_hops = ShareOf(hops.passed, hops.compiled);
  const double of_edits = ShareOf(edits.passed, edits.compiled);
  parameters.team.compiles = FourDigits(ShareOf(compiled, attempts));
  parameters.team.is_right = FourDigits(of_hops);
  parameters.feedback = FourDigits(Logit(of_edits) - Logit(of_hops));
  parameters.team.repairs =
      FourDigits(ShareOf(repairs.passed, repairs.attempts));
  // What tasks do not differ in, and windows do not change.
  parameters.compile_sd = 0.0;
  parameters.window_gain = 0.0;
}

double MeanLoss(const std::vector<double>& gains) {
  std::vector<double> losses;
  for (const double gain : gains) {
    if (gain <= 0.0) losses.push_back(-gain);
  }
  return losses.empty() ? 0.0 : Mean(losses);
}

}  // namespace

Estimates EstimatesOf(std::span<const RecordedCampaign> campaigns) {
  Estimates seen;
  std::vector<double> noises;
  std::vector<std::vector<Edit>> edits;
  std::vector<Edit> all;
  for (const RecordedCampaign& campaign : campaigns) {
    for (std::size_t i = 1; i < campaign.nodes.size(); ++i) {
      const RecordedNode& node = campaign.nodes[i];
      ++seen.verdicts.at(static_cast<std::size_t>(node.verdict));
      if (Passes(node) && node.noise > 0.0) noises.push_back(node.noise);
      if (!Passes(campaign.nodes[node.parent])) {
        Count(node, seen.repairs);
      } else {
        Count(node, node.parent == 0 ? seen.first_hops : seen.edits);
      }
    }
    std::ranges::copy(FirstHopsOf(campaign),
                      std::back_inserter(seen.first_hop));
    edits.push_back(EditsOf(campaign));
    std::ranges::copy(edits.back(), std::back_inserter(all));
  }
  for (const Edit& edit : all) seen.gains.push_back(edit.child - edit.parent);
  std::ranges::sort(seen.first_hop);
  std::ranges::sort(seen.gains);
  seen.inheritance = InheritanceOf(edits);
  seen.returns = ReturnsOf(std::move(all));
  if (!noises.empty()) seen.noise = Median(std::move(noises));
  return seen;
}

Result<FittedLaw> Fit(Family family,
                      std::span<const RecordedCampaign> campaigns) {
  assert(family == Family::kHill || family == Family::kWeak);
  std::vector<Sight> sights = SightsOf(campaigns);
  if (sights.size() < 2) {
    return Fail(Errc::kUsage,
                "a fit needs two campaigns with two edits each of what passed");
  }
  const Estimates seen = EstimatesOf(campaigns);
  FittedLaw law;
  law.family = family;
  Parameters& own = law.parameters;
  FitVerdicts(seen, own);
  own.noise = FourDigits(seen.noise);
  own.gap = FourDigits(2.0 * MeanLoss(seen.gains));
  const auto conservative = std::ranges::count_if(
      seen.first_hop, [](double hop) { return std::abs(hop) < kConservative; });
  own.conservative =
      seen.first_hop.empty()
          ? 0.0
          : FourDigits(static_cast<double>(conservative) /
                       static_cast<double>(seen.first_hop.size()));
  if (family == Family::kWeak) {
    const double inherited = InheritedOf(sights);
    FindCentres(inherited, sights);
    own.inherited = FourDigits(inherited);
    own.shortfall = FourDigits(ShortfallOf(sights));
    own.step =
        FourDigits(StepOf(inherited, seen.noise, sights) / own.shortfall);
    own.team.craft.improves = kNeutralCraft;
  } else {
    FindStarts(sights);
    own.shortfall = FourDigits(ShortfallOf(sights));
    const auto improving = std::ranges::count_if(
        seen.gains, [](double gain) { return gain > 0.0; });
    own.team.craft.improves = FourDigits(
        std::min(1.0, static_cast<double>(improving) /
                          static_cast<double>(seen.gains.size()) / kEdits));
  }
  FitTasks(sights, law);
  own.alone = own.team;
  return law;
}

}  // namespace coppice::search
