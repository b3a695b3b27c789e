#include "engine/factory/landscape_tasks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "agents/provider/model.h"
#include "engine/factory/point_campaign.h"
#include "engine/factory/recorded_file.h"
#include "engine/factory/recorded_split.h"
#include "engine/factory/simulation.h"
#include "eval/judge/evaluator.h"
#include "search/landscapes/in_memory_campaign.h"
#include "search/landscapes/task_law.h"
#include "store/digest.h"
#include "store/records/nearest_name.h"
#include "store/records/task.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kSim = "sim:";
constexpr std::string_view kRecorded = "recorded:";
constexpr std::string_view kFitted = "fitted:";
constexpr std::string_view kBasic = "sim:basic";
constexpr std::array<std::string_view, 4> kParts = {
    "recorded:train", "recorded:test", "recorded:own", "recorded:unseen"};

struct FittedFile {
  search::FittedLaw law;
  std::string definition;  // What it says, without its comments.
};

Result<FittedFile> ReadFitted(const std::string& task_name) {
  const std::string path = task_name.substr(kFitted.size());
  TRY(text, ReadTable(path));
  auto law = search::ParseFittedLaw(text);
  if (!law) return Fail(Errc::kUsage, path + ": " + law.error().what);
  return FittedFile{*law, Render(*law)};
}

struct RecordedName {
  std::string space;
  search::RecordedMode mode = search::RecordedMode::kFaults;
};

// "gemm_RTX_3090/raw"; a slash before anything else is part of a path.
RecordedName ReadRecordedName(const std::string& name) {
  const auto& modes = search::kRecordedModeNames;
  const std::size_t slash = name.rfind('/');
  if (slash == std::string::npos) return {name};
  const auto* mode =
      std::find(modes.begin(), modes.end(), name.substr(slash + 1));
  if (mode == modes.end()) return {name};
  return {name.substr(0, slash),
          static_cast<search::RecordedMode>(mode - modes.begin())};
}

std::vector<std::string> SimNames() {
  std::vector<std::string> names = {std::string(kBasic)};
  for (const std::string& name : search::CalibratedNames()) {
    names.push_back(std::string(kSim) + name);
  }
  return names;
}

Error UnknownSim(const std::string& task_name) {
  return {Errc::kUsage, "landscape '" + task_name.substr(kSim.size()) +
                            "' is unknown" +
                            NearestAndAll(task_name, SimNames())};
}

}  // namespace

std::string FittedName(std::string_view definition) {
  return "fitted-" + store::ToHex(store::Sha256(definition)).substr(0, 12);
}

bool LandscapeTasks::IsOne(std::string_view task_name) {
  return task_name.starts_with(kSim) || task_name.starts_with(kRecorded) ||
         task_name.starts_with(kFitted);
}

std::vector<std::string> LandscapeTasks::Names() const {
  std::vector<std::string> names = SimNames();
  for (const std::string& name : RecordedSpaceNames(data_directory_)) {
    names.push_back(std::string(kRecorded) + name);
  }
  return names;
}

std::string LandscapeTasks::FamilyOf(std::string_view task_name) {
  if (task_name.starts_with(kSim)) {
    return std::string(task_name.substr(0, task_name.find('/')));
  }
  if (task_name.starts_with(kFitted)) return std::string(task_name);
  if (!task_name.starts_with(kRecorded)) return "";
  const std::string space =
      ReadRecordedName(std::string(task_name.substr(kRecorded.size()))).space;
  const bool is_file = space.find('.') != std::string::npos;
  return std::string(kRecorded) +
         (is_file ? space : std::string(KernelOfSpace(space)));
}

bool LandscapeTasks::IsSet(std::string_view word) {
  return word == "sim:all" || word == "recorded:all" ||
         std::ranges::find(kParts, word) != kParts.end();
}

Result<std::vector<std::string>> LandscapeTasks::NamesOfSet(
    const std::string& word) const {
  std::vector<std::string> names;
  if (word.ends_with(":all")) {
    names = Names();
    std::erase_if(names, [&](const std::string& name) {
      return !name.starts_with(word.substr(0, word.find(':') + 1));
    });
  } else {
    TRY(split, ReadSplit(data_directory_));
    for (const std::string& space :
         SpacesOf(word.substr(kRecorded.size()), split)) {
      names.push_back(std::string(kRecorded) + space);
    }
  }
  if (names.empty()) {
    return Fail(Errc::kUsage, word + ": there are none in " +
                                  data_directory_.string() +
                                  "; --data-directory says where they are");
  }
  return names;
}

Result<Task> LandscapeTasks::Find(const std::string& task_name) const {
  if (task_name == kBasic) return SimulatedTask("basic");
  TRY(law, LawOf(task_name));
  return PointTask(task_name, law);
}

Result<search::TaskLaw> LandscapeTasks::LawOf(
    const std::string& task_name) const {
  if (task_name.starts_with(kRecorded)) {
    return RecordedLaw(task_name.substr(kRecorded.size()));
  }
  if (task_name.starts_with(kFitted)) {
    TRY(fitted, ReadFitted(task_name));
    return search::TaskLaw(FittedName(fitted.definition), fitted.law);
  }
  if (task_name == kBasic) {
    return Fail(Errc::kUsage,
                task_name + ": is one task, the same for every seed");
  }
  auto law = search::CalibratedLaw(task_name.substr(kSim.size()));
  if (law) return *std::move(law);
  return tl::unexpected<Error>(UnknownSim(task_name));
}

Result<std::vector<lab::References>> LandscapeTasks::ReferencesOf(
    const std::vector<std::string>& tasks,
    const std::vector<std::int64_t>& budgets, search::BudgetUnit unit) const {
  std::vector<lab::References> references(budgets.size());
  for (const std::string& task : tasks) {
    if (!task.starts_with(kRecorded)) continue;
    TRY(law, LawOf(task));
    const double of_each = unit == search::BudgetUnit::kEvaluatorSeconds
                               ? law.space()->MeanEvaluationSeconds()
                               : 1.0;
    for (std::size_t b = 0; b < budgets.size(); ++b) {
      const double draws = static_cast<double>(budgets[b]) / of_each;
      references[b][task] = {law.space()->best_log_speedup(),
                             law.space()->ExpectedBest(
                                 static_cast<std::int64_t>(std::ceil(draws)))};
    }
  }
  return references;
}

Result<search::TaskLaw> LandscapeTasks::RecordedLaw(
    const std::string& name) const {
  const RecordedName read = ReadRecordedName(name);
  TRY(file, FindRecordedSpace(data_directory_, read.space));
  TRY(space, ReadRecordedSpace(file));
  return search::TaskLaw(
      name, std::make_shared<const search::RecordedSpace>(std::move(space)),
      read.mode);
}

Result<std::string> LandscapeTasks::DefinitionOf(
    const std::string& task_name) const {
  if (task_name.starts_with(kRecorded)) {
    const RecordedName read =
        ReadRecordedName(task_name.substr(kRecorded.size()));
    TRY(file, FindRecordedSpace(data_directory_, read.space));
    TRY(table, ReadTable(file));
    const auto mode = static_cast<std::size_t>(read.mode);
    return std::string(search::kRecordedModeNames.at(mode)) + "\n" + table;
  }
  if (task_name.starts_with(kFitted)) {
    TRY(fitted, ReadFitted(task_name));
    return fitted.definition;
  }
  TRY(law, LawOf(task_name));
  const std::string& name = law.name();  // "hill/1"
  const std::size_t slash = name.find('/');
  return search::DefinitionOf(*search::ParseFamily(name.substr(0, slash)),
                              std::atoi(name.c_str() + slash + 1));
}

Result<std::unique_ptr<agents::Model>> LandscapeTasks::MakeModel(
    const Task& task) const {
  if (task.definition.name == kBasic) return MakeSimulatedModel(task);
  TRY(law, LawOf(task.definition.name));
  return MakePointModel(std::move(law));
}

Result<std::unique_ptr<eval::Evaluator>> LandscapeTasks::MakeEvaluator(
    const Task& task) const {
  if (task.definition.name == kBasic) return MakeSimulatedEvaluator(task);
  TRY(law, LawOf(task.definition.name));
  return MakePointEvaluator(task, law.noise());
}

}  // namespace coppice::engine
