#include "eval/torch/kernelbench.h"

#include <string_view>
#include <utility>

#include "eval/host/whole_file.h"
#include "eval/judge/evaluators.h"
#include "eval/sandbox/sandbox.h"
#include "eval/torch/device.h"
#include "eval/torch/fork_servers.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/problem.h"
#include "eval/torch/worker_options.h"

namespace coppice::eval {
namespace {

constexpr std::uintmax_t kMostBytes = 16 << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Result<std::string> ReadProblem(const std::filesystem::path& file) {
  auto read = ReadWhole(file, kMostBytes);
  if (!read) return Fail(Errc::kUsage, read.error().what);
  std::string text = std::move(*read);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

// "level1" and "19_ReLU" make "level:1" and "problem:19".
std::vector<std::string> TagsOf(const std::string& folder,
                                const std::string& stem) {
  std::vector<std::string> tags;
  if (folder.starts_with("level")) tags.push_back("level:" + folder.substr(5));
  const std::size_t end = stem.find('_');
  const std::string number = stem.substr(0, end);
  if (!number.empty() &&
      number.find_first_not_of("0123456789") == std::string::npos) {
    tags.push_back("problem:" + number);
  }
  return tags;
}

constexpr std::string_view kPrecision = "precision";

struct PrecisionRow {
  DType precision;
  std::string_view name;
};
constexpr PrecisionRow kPrecisions[] = {{DType::kFloat16, "float16"},
                                        {DType::kBFloat16, "bfloat16"}};

}  // namespace

DType PrecisionOf(const Task& task) {
  if (task.format != TaskFormat::kKernelBench) return DType::kFloat32;
  const auto name = TagValue(task.definition, std::string(kPrecision));
  for (const PrecisionRow& row : kPrecisions) {
    if (name == row.name) return row.precision;
  }
  return DType::kFloat32;
}

Result<Task> LoadKernelBenchTask(const PythonEvaluatorOptions& options,
                                 const std::filesystem::path& file,
                                 Protocol protocol, Delegation delegation,
                                 DType precision) {
  TRY(source, ReadProblem(file));
  TRY_DONE(ProbeSandbox());
  TRY(interpreter, torch::FindInterpreter(options.python));
  TRY(device, torch::ChooseDevice(options.device, interpreter));
  const std::string folder = file.parent_path().filename().string();
  const std::string stem = file.stem().string();
  const std::string name =
      folder.starts_with("level") ? folder + "_" + stem : stem;
  const torch::WorkerOptions workers =
      torch::OptionsFor(options, interpreter, device);
  TRY_DONE(torch::StartForkServers(workers));
  // A root and a candidate; on a CPU they would only be in its way.
  if (options.prewarmed_workers != nullptr && !torch::IsCpu(device)) {
    TRY_DONE(options.prewarmed_workers->Launch(workers,
                                               torch::WorkerRole::kKernel, 2));
  }
  TRY(problem, torch::Problem::Open(workers, {.name = file.string(),
                                              .source = std::move(source),
                                              .protocol = protocol,
                                              .precision = precision}));
  TRY(task, problem->Describe());
  task.delegation = delegation;
  task.definition.name = name;
  task.definition.tags = TagsOf(folder, stem);
  for (const PrecisionRow& row : kPrecisions) {
    if (row.precision != precision) continue;
    task.definition.tags.push_back(std::string(kPrecision) + ":" +
                                   std::string(row.name));
  }
  task.root.name = name + "_root";
  task.root.definition = name;
  task.workloads.front().uuid = name;
  if (options.prewarmed_workers != nullptr)
    options.prewarmed_workers->Keep(std::move(problem));
  return task;
}

}  // namespace coppice::eval
