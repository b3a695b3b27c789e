#include "search/landscapes/task_law.h"

#include <algorithm>
#include <utility>

namespace coppice::search {
namespace {

constexpr double kCalibratedRoot_s = 10e-3;

std::string NameOf(Family family, int level) {
  std::string name(Name(family));
  return name + "/" + std::to_string(level);
}

}  // namespace

TaskLaw::TaskLaw(Family family, int level)
    : name_(NameOf(family, level)),
      root_runtime_s_(kCalibratedRoot_s),
      law_(FromFamily{family, level}) {}

TaskLaw::TaskLaw(std::string name, std::shared_ptr<const RecordedSpace> space,
                 RecordedMode mode)
    : name_(std::move(name)),
      root_runtime_s_(space->root_time_s()),
      law_(FromSpace{std::move(space), mode}) {}

TaskLaw::TaskLaw(std::string name, const FittedLaw& fitted)
    : name_(std::move(name)),
      root_runtime_s_(kCalibratedRoot_s),
      law_(fitted) {}

Simulation TaskLaw::TaskOf(std::uint64_t seed) const {
  const std::uint64_t key = TaskKey(name_, seed);
  if (const auto* recorded = std::get_if<FromSpace>(&law_)) {
    return Simulation(recorded->space, recorded->mode, key);
  }
  if (const auto* fitted = std::get_if<FittedLaw>(&law_)) {
    return Simulation(fitted->family, fitted->ceilings, fitted->parameters,
                      key);
  }
  const auto& calibrated = std::get<FromFamily>(law_);
  return Simulation(calibrated.family, calibrated.level, key);
}

double TaskLaw::noise() const {
  const auto* fitted = std::get_if<FittedLaw>(&law_);
  return fitted == nullptr ? Parameters{}.noise : fitted->parameters.noise;
}

const RecordedSpace* TaskLaw::space() const {
  const auto* recorded = std::get_if<FromSpace>(&law_);
  return recorded == nullptr ? nullptr : recorded->space.get();
}

std::vector<std::string> CalibratedNames() {
  std::vector<std::string> names;
  for (const std::string_view family : kFamilyNames) {
    for (int level = 1; level <= kLevels; ++level) {
      names.push_back(NameOf(*ParseFamily(family), level));
    }
  }
  return names;
}

std::optional<TaskLaw> CalibratedLaw(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::optional<Family> family = ParseFamily(name.substr(0, slash));
  if (!family) return std::nullopt;
  for (int level = 1; level <= kLevels; ++level) {
    if (NameOf(*family, level) == name) return TaskLaw(*family, level);
  }
  return std::nullopt;
}

}  // namespace coppice::search
