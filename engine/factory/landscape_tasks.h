// Landscapes by the names that users give tasks:
//
//   sim:basic               search/landscape.h
//   sim:hill/1              a calibrated family and its level
//   recorded:gemm_RTX_3090  a recorded space that comes with the program, or
//   recorded:mine.csv       a table of the user's; "/raw", "/informed" or
//                           "/faults" behind it says what agents bring, by
//                           default faults
//   fitted:live.txt         what `coppice task fit` made of live campaigns
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lab/reference.h"
#include "store/records/result.h"

namespace coppice {
struct Task;
}
namespace coppice::agents {
class Model;
}
namespace coppice::eval {
class Evaluator;
}
namespace coppice::search {
enum class BudgetUnit : std::uint8_t;
class TaskLaw;
}  // namespace coppice::search

namespace coppice::engine {

// The name of a fitted law with these numbers: "fitted-" and 12 digits of their
// hash.
std::string FittedName(std::string_view definition);

class LandscapeTasks {
 public:
  // Where tuning_spaces/ is.
  explicit LandscapeTasks(std::filesystem::path data_directory)
      : data_directory_(std::move(data_directory)) {}

  static bool IsOne(std::string_view task_name);

  // The names of all that come with the program, but for the modes of recorded
  // spaces.
  std::vector<std::string> Names() const;

  // The name of a family of like landscapes: "sim:hill" of "sim:hill/1",
  // "recorded:gemm" of "recorded:gemm_RTX_3090".  A table of the user's has its
  // path; what is no landscape has none.
  static std::string FamilyOf(std::string_view task_name);

  // "sim:all", "recorded:all", or the part of the recorded spaces that
  // "recorded:train", "test", "own" or "unseen" means (recorded_split.h).
  static bool IsSet(std::string_view word);

  // Those of a set; kUsage if there are none.
  Result<std::vector<std::string>> NamesOfSet(const std::string& word) const;

  // kUsage names the nearest landscape, or what is wrong in a table.
  Result<Task> Find(const std::string& task_name) const;

  // What seeds draw tasks from.  kUsage for sim:basic, which is one task.
  Result<search::TaskLaw> LawOf(const std::string& task_name) const;

  // References of the recorded spaces among tasks, for each budget.  Random
  // search makes an attempt a call, and as many as a budget of seconds has room
  // for on average.
  Result<std::vector<lab::References>> ReferencesOf(
      const std::vector<std::string>& tasks,
      const std::vector<std::int64_t>& budgets, search::BudgetUnit unit) const;

  // All that makes it what it is, as text: of a calibrated family or a fit its
  // numbers, of a recorded space its table.  Errors as of LawOf.
  Result<std::string> DefinitionOf(const std::string& task_name) const;

  // REQUIRES: a task of Find.
  Result<std::unique_ptr<agents::Model>> MakeModel(const Task& task) const;
  Result<std::unique_ptr<eval::Evaluator>> MakeEvaluator(
      const Task& task) const;

 private:
  Result<search::TaskLaw> RecordedLaw(const std::string& name) const;

  std::filesystem::path data_directory_;
};

}  // namespace coppice::engine
