#include "search/landscapes/recorded_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/landscapes/evaluation_cost.h"
#include "search/landscapes/quantile.h"

namespace coppice::search {
namespace {

constexpr double kRootQuantile = 0.10;
constexpr double kIsDoubleEdit = 0.35;

tl::unexpected<TableFault> Refuse(std::optional<std::size_t> measurement,
                                  std::string what) {
  return tl::unexpected<TableFault>(TableFault{measurement, std::move(what)});
}

std::uint64_t IndexOf(const std::vector<std::string>& values,
                      const std::string& value) {
  return static_cast<std::uint64_t>(
      std::find(values.begin(), values.end(), value) - values.begin());
}

class Recorded final : public Terrain {
 public:
  explicit Recorded(std::shared_ptr<const RecordedSpace> space)
      : space_(std::move(space)) {}

  Position Draft(const Craft&, const KeyedDraws& draws) const override {
    std::uint64_t configuration = 0;
    for (std::size_t p = 0; p < space_->parameters().size(); ++p) {
      const int values =
          static_cast<int>(space_->parameters()[p].values.size());
      const int value =
          draws.Below(values, DrawKey::kGene, static_cast<std::int64_t>(p));
      configuration =
          space_->Move(configuration, p, static_cast<std::uint64_t>(value));
    }
    return space_->At(configuration);
  }

  Position Edit(const Position& from, const Craft& craft,
                const KeyedDraws& draws) const override {
    const int edits =
        draws.Uniform(DrawKey::kIsDoubleEdit) < kIsDoubleEdit ? 2 : 1;
    const int tries = draws.Uniform(DrawKey::kTries) < craft.improves ? 2 : 1;
    std::optional<Position> best;
    for (int attempt = 0; attempt < tries; ++attempt) {
      std::uint64_t configuration = from.genome;
      for (int edit = 0; edit < edits; ++edit) {
        configuration = Change(configuration, 2 * attempt + edit, draws);
      }
      const Position to = space_->At(configuration);
      if (!best || IsBetter(to, *best)) best = to;
    }
    return *best;
  }

  Position Cross(const Position& from, const Position& mate, const Craft&,
                 const KeyedDraws& draws) const override {
    std::uint64_t child = from.genome;
    std::vector<std::size_t> taken;
    for (std::size_t p = 0; p < space_->parameters().size(); ++p) {
      if (draws.Uniform(DrawKey::kFromMate, static_cast<std::int64_t>(p)) >=
          0.5) {
        continue;
      }
      child = Take(child, mate.genome, p);
      taken.push_back(p);
    }
    // The selected one passes, so this ends.
    while (space_->At(child).at_best != Verdict::kPassed && !taken.empty()) {
      child = Take(child, from.genome, taken.back());
      taken.pop_back();
    }
    return space_->At(child);
  }

  Position Leave(const Position& invalid,
                 const KeyedDraws& draws) const override {
    return space_->At(Change(invalid.genome, 0, draws));
  }

  int ChangedPart(const Position& from, const Position& to) const override {
    for (std::size_t p = 0; p < space_->parameters().size(); ++p) {
      if (space_->ValueOf(from.genome, p) != space_->ValueOf(to.genome, p)) {
        return static_cast<int>(p) + 1;
      }
    }
    return 0;
  }

 private:
  // With that parameter of another configuration.
  std::uint64_t Take(std::uint64_t configuration, std::uint64_t other,
                     std::size_t parameter) const {
    const std::uint64_t values = space_->parameters()[parameter].values.size();
    const std::uint64_t shift = space_->ValueOf(other, parameter) + values -
                                space_->ValueOf(configuration, parameter);
    return space_->Move(configuration, parameter, shift);
  }

  // To any other value of any parameter.
  std::uint64_t Change(std::uint64_t configuration, int which,
                       const KeyedDraws& draws) const {
    const auto& parameters = space_->parameters();
    const int parameter = draws.Below(static_cast<int>(parameters.size()),
                                      DrawKey::kWhere, which);
    const auto at = static_cast<std::size_t>(parameter);
    const int others = static_cast<int>(parameters[at].values.size()) - 1;
    const int shift = 1 + draws.Below(others, DrawKey::kWhat, which);
    return space_->Move(configuration, at, static_cast<std::uint64_t>(shift));
  }

  static bool IsBetter(const Position& a, const Position& b) {
    if (b.at_best != Verdict::kPassed) return a.at_best == Verdict::kPassed;
    return a.at_best == Verdict::kPassed && a.log_speedup > b.log_speedup;
  }

  const std::shared_ptr<const RecordedSpace> space_;
};

}  // namespace

// With all values that the measurements have of them, whose times are sound.
tl::expected<std::vector<RecordedSpace::Parameter>, TableFault>
RecordedSpace::ParametersIn(
    const std::vector<std::string>& names,
    const std::vector<MeasuredConfiguration>& measurements) {
  std::vector<Parameter> all;
  for (const std::string& name : names) all.push_back({name, {}});
  for (std::size_t m = 0; m < measurements.size(); ++m) {
    const MeasuredConfiguration& measured = measurements[m];
    if (measured.values.size() != names.size()) {
      return Refuse(m,
                    "expected " + std::to_string(names.size()) + " parameters");
    }
    for (std::size_t p = 0; p < all.size(); ++p) {
      std::vector<std::string>& values = all[p].values;
      const std::string& value = measured.values[p];
      if (IndexOf(values, value) == values.size()) values.push_back(value);
    }
    if (measured.verdict != Verdict::kPassed) continue;
    if (!std::isfinite(measured.time_s) || measured.time_s <= 0.0) {
      return Refuse(m, "a time must be a positive number");
    }
  }
  return all;
}

tl::expected<RecordedSpace, TableFault> RecordedSpace::Make(
    const std::vector<std::string>& parameters,
    const std::vector<MeasuredConfiguration>& measurements) {
  auto all = ParametersIn(parameters, measurements);
  if (!all) return tl::unexpected(all.error());
  std::vector<double> times_s;
  for (const MeasuredConfiguration& measured : measurements) {
    if (measured.verdict == Verdict::kPassed) {
      times_s.push_back(measured.time_s);
    }
  }
  if (times_s.empty()) return Refuse(std::nullopt, "no measurement passed");

  RecordedSpace space;
  std::vector<std::size_t> columns;  // Of the parameters that vary.
  for (std::size_t p = 0; p < all->size(); ++p) {
    const std::uint64_t values = all->at(p).values.size();
    if (values < 2) continue;
    if (space.combinations_ >
        std::numeric_limits<std::uint64_t>::max() / values) {
      return Refuse(std::nullopt, "more than 2^64 combinations");
    }
    columns.push_back(p);
    space.strides_.push_back(space.combinations_);
    space.combinations_ *= values;
    space.parameters_.push_back(std::move(all->at(p)));
  }
  if (columns.empty()) return Refuse(std::nullopt, "no parameter varies");

  space.root_time_s_ = Quantile(times_s, kRootQuantile);
  space.best_log_speedup_ = std::log(
      space.root_time_s_ / *std::min_element(times_s.begin(), times_s.end()));
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t m = 0; m < measurements.size(); ++m) {
    std::uint64_t configuration = 0;
    for (std::size_t p = 0; p < columns.size(); ++p) {
      configuration +=
          space.strides_[p] * IndexOf(space.parameters_[p].values,
                                      measurements[m].values[columns[p]]);
    }
    order.emplace_back(configuration, m);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [configuration, m] : order) {
    if (!space.rows_.empty() &&
        space.rows_.back().configuration == configuration) {
      return Refuse(m, "a second measurement of this configuration");
    }
    space.AddRow(configuration, measurements[m], measurements.size());
  }
  std::ranges::sort(space.ascending_);
  return space;
}

// One of so many measurements.
void RecordedSpace::AddRow(std::uint64_t configuration,
                           const MeasuredConfiguration& measured,
                           std::size_t measurements) {
  const bool passed = measured.verdict == Verdict::kPassed;
  const double runtime_s = passed ? measured.time_s : root_time_s_;
  const double log_speedup = passed ? std::log(root_time_s_ / runtime_s) : 0.0;
  rows_.push_back({configuration, measured.verdict, log_speedup});
  ascending_.push_back(std::max(log_speedup, 0.0));
  mean_evaluation_s_ += EvaluationSeconds(measured.verdict, runtime_s) /
                        static_cast<double>(measurements);
}

// The best of k of n is the i-th from below in C(i - 1, k - 1) of C(n, k)
// cases: k / n if i = n, and for i - 1 that times (i - k) / (i - 1).
double RecordedSpace::ExpectedBest(std::int64_t draws) const {
  if (draws < 1) return 0.0;
  auto rank = static_cast<std::int64_t>(ascending_.size());
  draws = std::min(draws, rank);
  double probability = static_cast<double>(draws) / static_cast<double>(rank);
  double expected = 0.0;
  for (; rank >= draws; --rank) {
    expected += probability * ascending_[static_cast<std::size_t>(rank - 1)];
    if (rank == 1) break;
    probability *=
        static_cast<double>(rank - draws) / static_cast<double>(rank - 1);
  }
  return expected;
}

Position RecordedSpace::At(std::uint64_t configuration) const {
  Position position;
  position.genome = configuration;
  position.at_best = Verdict::kCompileFailed;
  const auto row = std::lower_bound(
      rows_.begin(), rows_.end(), configuration,
      [](const Row& a, std::uint64_t b) { return a.configuration < b; });
  if (row == rows_.end() || row->configuration != configuration) {
    return position;
  }
  position.at_best = row->verdict;
  position.log_speedup = row->log_speedup;
  return position;
}

std::uint64_t RecordedSpace::ValueOf(std::uint64_t configuration,
                                     std::size_t parameter) const {
  return configuration / strides_[parameter] %
         parameters_[parameter].values.size();
}

std::uint64_t RecordedSpace::Move(std::uint64_t configuration,
                                  std::size_t parameter,
                                  std::uint64_t shift) const {
  const std::uint64_t stride = strides_[parameter];
  const std::uint64_t values = parameters_[parameter].values.size();
  const std::uint64_t value = ValueOf(configuration, parameter);
  return configuration - value * stride + (value + shift) % values * stride;
}

Parameters ParametersOf(RecordedMode mode) {
  Skill skill = {.compiles = 0.9995,
                 .is_right = 0.9995,
                 .repairs = 0.65,
                 .craft = {.first_hop = 0.0, .improves = 0.0}};
  Parameters parameters;
  parameters.right_sd = 0.01;
  if (mode != RecordedMode::kRaw) skill.craft.improves = 0.5;
  if (mode == RecordedMode::kFaults) {
    skill.compiles = 0.907;
    skill.is_right = 0.70;
    skill.repairs = 0.40;
    parameters.stubborn = 0.25;
    parameters.right_sd = 0.5;
  }
  parameters.alone = parameters.team = skill;
  parameters.window_gain = 0.0;
  return parameters;
}

std::unique_ptr<Terrain> MakeRecorded(
    std::shared_ptr<const RecordedSpace> space) {
  return std::make_unique<Recorded>(std::move(space));
}

}  // namespace coppice::search
