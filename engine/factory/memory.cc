#include "engine/factory/memory.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "agents/prompt/attempt_table.h"
#include "agents/prompt/describe.h"
#include "eval/formats/trace_set.h"
#include "store/digest.h"
#include "store/read/word_index.h"
#include "store/write/campaigns.h"
#include "store/write/lessons.h"

namespace coppice::engine {
namespace {

constexpr std::size_t kFailureBytes = 100;
constexpr double kOtherTypes = 0.7;
constexpr double kOtherHardware = 0.7;
constexpr double kHalvedBy = 8.0;  // Of log_elements: 256 times as many.

Result<std::filesystem::path> LibraryFile(const config::Settings& settings) {
  if (settings.library.is_absolute()) return settings.library;
  return Fail(Errc::kUsage,
              "the library has no home; set HOME or XDG_DATA_HOME");
}

std::string TypesOf(const Definition& definition) {
  std::string types;
  for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
    for (const TensorSpec& tensor : *tensors) {
      if (!types.empty()) types += ' ';
      types += agents::DTypeName(tensor.dtype);
    }
  }
  return types;
}

// By the sizes of a workload; none if one is an expression or unknown.
std::optional<double> ElementsOf(const Definition& definition,
                                 const Workload& workload) {
  std::map<std::string, std::int64_t> sizes(workload.axes.begin(),
                                            workload.axes.end());
  for (const Axis& axis : definition.axes) {
    if (axis.constant) sizes[axis.name] = *axis.constant;
  }
  double sum = 0.0;
  for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
    for (const TensorSpec& tensor : *tensors) {
      double elements = 1.0;
      for (const std::string& axis :
           tensor.shape.value_or(std::vector<std::string>{})) {
        const auto size = sizes.find(axis);
        if (size == sizes.end()) return std::nullopt;
        elements *= static_cast<double>(size->second);
      }
      sum += elements;
    }
  }
  return sum;
}

std::optional<double> LogElementsOf(const Task& task) {
  double sum = 0.0;
  for (const Workload& workload : task.workloads) {
    const auto elements = ElementsOf(task.definition, workload);
    if (!elements || *elements <= 0.0) return std::nullopt;
    sum += std::log2(*elements);
  }
  if (task.workloads.empty()) return std::nullopt;
  return sum / static_cast<double>(task.workloads.size());
}

std::string DigestOf(const Definition& definition) {
  store::FieldHasher hasher;
  hasher.Add(definition.op_type);
  for (const Axis& axis : definition.axes) {
    hasher.Add(axis.name);
    hasher.Add(axis.constant.value_or(-1));
  }
  for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
    hasher.Add(static_cast<std::int64_t>(tensors->size()));
    for (const TensorSpec& tensor : *tensors) {
      hasher.Add(tensor.name);
      hasher.Add(static_cast<std::int64_t>(tensor.dtype));
      for (const std::string& axis :
           tensor.shape.value_or(std::vector<std::string>{})) {
        hasher.Add(axis);
      }
    }
  }
  hasher.Add(definition.reference);
  return store::ToHex(hasher.Finish());
}

double Nearness(const TaskTraits& task, const std::string& hardware,
                const Lesson& lesson, double likeness) {
  const TaskTraits& other = lesson.task;
  double nearness = 0.2 + 0.5 * likeness;
  if (other.operation == task.operation) nearness += 0.3;
  if (other.types != task.types) nearness *= kOtherTypes;
  if (other.log_elements && task.log_elements) {
    nearness *= std::exp2(-std::abs(*other.log_elements - *task.log_elements) /
                          kHalvedBy);
  }
  const bool is_elsewhere = !hardware.empty() && !lesson.hardware.empty() &&
                            hardware != lesson.hardware;
  return is_elsewhere ? nearness * kOtherHardware : nearness;
}

Result<std::vector<std::string>> NamesIn(const std::string& memory) {
  std::vector<std::string> names;
  if (memory == "none") return names;
  for (std::size_t at = 0; at <= memory.size();) {
    const std::size_t comma = std::min(memory.find(',', at), memory.size());
    names.push_back(memory.substr(at, comma - at));
    if (names.back().empty()) {
      return Fail(Errc::kUsage, "--memory " + memory + ": a file has no name");
    }
    at = comma + 1;
  }
  return names;
}

// None: the library, which is empty as yet.
Result<std::optional<store::Database>> OpenToLearn(
    const std::string& name, const config::Settings& settings) {
  const bool is_library = name == "library";
  auto database = is_library
                      ? OpenLibrary(settings, store::Access::kReadOnly)
                      : store::Database::Open(name, store::Access::kReadOnly);
  if (database) return std::optional(*std::move(database));
  std::string what = "--memory: " + database.error().what;
  if (is_library && database.error().code == Errc::kNotFound) {
    if (settings.remember == "yes") return std::nullopt;
    what =
        "--memory library: nothing is kept there yet; campaigns with "
        "--remember yes keep what they try";
  }
  return Fail(Errc::kUsage, what);
}

// A node is known by its campaign and number, a person's line by its words.
void KeepFirstOfEach(std::vector<Lesson>& lessons) {
  std::set<std::tuple<std::string, std::optional<NodeId>, std::string,
                      std::string, std::string>>
      seen;
  std::erase_if(lessons, [&](const Lesson& lesson) {
    return !seen.emplace(lesson.uuid ? ToString(*lesson.uuid) : "", lesson.node,
                         lesson.note, lesson.technique, lesson.task.operation)
                .second;
  });
}

bool IsSameTask(const TaskTraits& a, const TaskTraits& b) {
  return a.name == b.name || a.digest == b.digest;
}

}  // namespace

Result<store::Database> OpenLibrary(const config::Settings& settings,
                                    store::Access access) {
  TRY(file, LibraryFile(settings));
  if (access == store::Access::kCreate) {
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) {
      return Fail(Errc::kIo,
                  file.parent_path().string() + ": " + error.message());
    }
  }
  return store::Database::Open(file, access);
}

TaskTraits TraitsOf(const Task& task) {
  const Definition& definition = task.definition;
  TaskTraits traits;
  traits.name = definition.name;
  traits.digest = DigestOf(definition);
  traits.operation = definition.op_type;
  traits.words = definition.name + " " + definition.op_type + " " +
                 definition.description.value_or("");
  traits.types = TypesOf(definition);
  traits.log_elements = LogElementsOf(task);
  traits.language = task.root.language;
  return traits;
}

Result<std::vector<Lesson>> EvidenceOf(store::Database& database,
                                       const std::string& file,
                                       const std::string& campaign) {
  TRY(rows, store::Campaigns(database).List());
  std::vector<Lesson> all;
  for (const store::CampaignRow& row : rows) {
    if (!campaign.empty() && row.spec.name != campaign) continue;
    const auto task = eval::ParseTask(row.spec.task_json);
    // A point of a landscape is like no kernel.
    if (!task || task->root.language == Language::kSim) continue;
    const TaskTraits traits = TraitsOf(*task);
    TRY(lessons, store::ReadEvidence(database, row, file));
    for (Lesson& lesson : lessons) {
      lesson.task = traits;
      lesson.failure = agents::TellFailure(lesson.failure, kFailureBytes);
      all.push_back(std::move(lesson));
    }
  }
  return all;
}

Result<Memory> Memory::Load(const config::Settings& settings) {
  TRY(names, NamesIn(settings.memory));
  Memory memory;
  std::vector<Lesson> kept;
  for (const std::string& name : names) {
    TRY(database, OpenToLearn(name, settings));
    if (!database) continue;
    TRY(evidence, EvidenceOf(*database, name));
    TRY(own, store::ReadOwnLessons(*database));
    std::ranges::move(evidence, std::back_inserter(memory.lessons_));
    std::ranges::move(own, std::back_inserter(kept));
  }
  std::ranges::move(kept, std::back_inserter(memory.lessons_));
  KeepFirstOfEach(memory.lessons_);
  return memory;
}

Result<std::vector<Lesson>> Memory::NearTo(const Task& task,
                                           const std::string& hardware,
                                           OfItself of_itself) const {
  const TaskTraits traits = TraitsOf(task);
  std::vector<std::string> documents;  // Of each task once.
  std::map<std::string, std::size_t> places;
  for (const Lesson& lesson : lessons_) {
    if (places.try_emplace(lesson.task.words, documents.size()).second) {
      documents.push_back(lesson.task.words);
    }
  }
  TRY(likeness, store::LikenessOf(documents, traits.words));
  std::vector<Lesson> near;
  for (const Lesson& lesson : lessons_) {
    const TaskTraits& other = lesson.task;
    if (lesson.IsNote()) {
      if (!other.operation.empty() && other.operation != traits.operation) {
        continue;
      }
      near.push_back(lesson);
      near.back().nearness = 1.0;
      continue;
    }
    if (other.language != traits.language) continue;
    if (of_itself == OfItself::kLeftOut && IsSameTask(other, traits)) continue;
    near.push_back(lesson);
    near.back().nearness =
        Nearness(traits, hardware, lesson, likeness[places[other.words]]);
  }
  std::ranges::stable_sort(near, std::ranges::greater(), [](const Lesson& l) {
    return std::pair(l.IsNote(), l.nearness);
  });
  if (near.size() > kMostLessons) near.resize(kMostLessons);
  return near;
}

}  // namespace coppice::engine
