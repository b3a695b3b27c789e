// What a landscape's name stands for: a law from which a campaign's seed draws
// its task.  Campaigns of equal seeds have the same task, so they are paired.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "search/landscapes/fitted_law.h"
#include "search/landscapes/simulation.h"

namespace coppice::search {

class TaskLaw {
 public:
  TaskLaw(Family family, int level);
  // `name` is the user's, as "gemm_RTX_3090/raw".
  TaskLaw(std::string name, std::shared_ptr<const RecordedSpace> space,
          RecordedMode mode);

  // `name` tells laws of other numbers apart.
  TaskLaw(std::string name, const FittedLaw& fitted);

  // "hill/1".  Kept apart from others by it: equal seeds give equal tasks on
  // equal names only.
  const std::string& name() const { return name_; }
  double root_runtime_s() const { return root_runtime_s_; }

  Simulation TaskOf(std::uint64_t seed) const;

  // Standard deviation of a measured log speedup.
  double noise() const;

  // The space of which everything is known; null for a family, whose tasks are
  // drawn.
  const RecordedSpace* space() const;

 private:
  struct FromFamily {
    Family family;
    int level;
  };
  struct FromSpace {
    std::shared_ptr<const RecordedSpace> space;
    RecordedMode mode;
  };
  std::string name_;
  double root_runtime_s_;
  std::variant<FromFamily, FromSpace, FittedLaw> law_;
};

// Names of all levels of all families: "hill/1", ...
std::vector<std::string> CalibratedNames();

// None if the name is not one of them.
std::optional<TaskLaw> CalibratedLaw(std::string_view name);

}  // namespace coppice::search
