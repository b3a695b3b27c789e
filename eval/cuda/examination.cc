#include "eval/cuda/examination.h"

#include <algorithm>

#include "eval/inputs.h"
#include "store/records/random.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kSeconds = 30.0;

std::uint64_t BytesOf(const Shapes& shapes) {
  std::uint64_t bytes = 0;
  for (const auto* tensors : {&shapes.inputs, &shapes.outputs}) {
    for (const TensorShape& shape : *tensors) {
      bytes += shape.elements * ElementBytes(shape.dtype);
    }
  }
  return bytes;
}

}  // namespace

Result<std::vector<SharedMemory>> RehearsalInputs(const Shapes& shapes,
                                                  const Workload& workload,
                                                  std::uint64_t seed) {
  RandomStream stream(seed, Purpose::kInputs, 0);
  TRY(made, MakeInputs(shapes, workload, stream));
  std::vector<SharedMemory> inputs;
  for (const std::vector<std::byte>& bytes : made) {
    TRY(memory,
        SharedMemory::Create("input", std::max<std::size_t>(bytes.size(), 8),
                             Sharing::kReadOnly));
    std::ranges::copy(bytes, memory.data());
    inputs.push_back(std::move(memory));
  }
  return inputs;
}

Examination::Report Conclude(const std::vector<Watched>& all) {
  Examination::Report report;
  for (const Watched& watched : all) {
    using enum Watched::Outcome;
    if (watched.outcome == kClean) continue;
    const bool found = watched.outcome == kFound;
    if (report.verdict == Verdict::kPassed ||
        (found && report.verdict == Verdict::kInconclusive)) {
      report.verdict = !found                       ? Verdict::kInconclusive
                       : watched.tool == "memcheck" ? Verdict::kCrashed
                                                    : Verdict::kRejected;
    }
    report.log += watched.tool + ": " + watched.report;
    if (!report.log.ends_with('\n')) report.log += '\n';
  }
  return report;
}

std::vector<std::string_view> Doubtful(const std::vector<Watched>& of_candidate,
                                       const std::vector<Watched>& of_root) {
  std::vector<std::string_view> tools;
  for (const std::string_view tool : kSanitizers) {
    const auto said = std::ranges::find(of_candidate, tool, &Watched::tool);
    if (said == of_candidate.end() ||
        said->outcome == Watched::Outcome::kClean ||
        std::ranges::find(of_root, tool, &Watched::tool) != of_root.end()) {
      continue;
    }
    tools.push_back(tool);
  }
  return tools;
}

std::vector<Watched> OfUse(std::vector<Watched> of_candidate,
                           const std::vector<Watched>& of_root) {
  std::erase_if(of_candidate, [&](const Watched& watched) {
    const auto said = std::ranges::find(of_root, watched.tool, &Watched::tool);
    return said != of_root.end() && said->outcome != Watched::Outcome::kClean;
  });
  return of_candidate;
}

Result<std::unique_ptr<Examination>> Examination::Make(
    ExaminationOptions options, const Task& task,
    const std::vector<Assignment>& roots) {
  std::unique_ptr<Examination> made(new Examination());
  const auto folder = FindSanitizers(options.toolkit);
  made->options_ = std::move(options);
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    TRY(shapes, Resolve(task.definition, task.workloads[i]));
    if (BytesOf(shapes) >= least) continue;
    least = BytesOf(shapes);
    made->workload_ = i;
    made->shapes_ = std::move(shapes);
  }
  if (!folder) {
    made->missing_ = "compute-sanitizer: not found, so nothing was sanitized\n";
    return made;
  }
  made->folder_ = *folder;
  made->tools_.assign(std::begin(kSanitizers), std::end(kSanitizers));
  made->root_ = roots[made->workload_];
  TRY(inputs, RehearsalInputs(made->shapes_, task.workloads[made->workload_],
                              made->options_.seed));
  made->inputs_ = std::move(inputs);
  return made;
}

Result<std::vector<Watched>> Examination::Ask(
    const Assignment& assignment, std::span<const std::string_view> tools) {
  return Watch(options_.runner, folder_, tools, {assignment, shapes_, inputs_},
               kSeconds);
}

Result<void> Examination::AskAboutRoot(
    const std::vector<Watched>& of_candidate) {
  const auto doubtful = Doubtful(of_candidate, of_root_);
  if (doubtful.empty()) return {};
  TRY(asked, Ask(root_, doubtful));
  for (Watched& watched : asked) {
    if (watched.outcome != Watched::Outcome::kClean) {
      std::erase(tools_, watched.tool);
      missing_ += "not looked at by " + watched.tool +
                  ", which is of no use on the root: " + watched.report + "\n";
    }
    of_root_.push_back(std::move(watched));
  }
  return {};
}

Result<Examination::Report> Examination::Examine(
    const std::vector<Assignment>& candidate) {
  if (tools_.empty()) return Report{.log = missing_};
  TRY(all, Ask(candidate[workload_], tools_));
  TRY_DONE(AskAboutRoot(all));
  Report report = Conclude(OfUse(std::move(all), of_root_));
  if (report.verdict == Verdict::kPassed && !tools_.empty()) {
    for (const std::string_view tool : tools_) {
      report.log += (report.log.empty() ? "" : ", ") + std::string(tool);
    }
    report.log += " find nothing\n";
  }
  report.log += missing_;
  return report;
}

}  // namespace coppice::eval::cuda
