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
  TRY(inputs, RehearsalInputs(made->shapes_, task.workloads[made->workload_],
                              made->options_.seed));
  made->inputs_ = std::move(inputs);
  const Rehearsal rehearsal{roots[made->workload_], made->shapes_,
                            made->inputs_};
  TRY(all, Watch(made->options_.runner, made->folder_, kSanitizers, rehearsal,
                 kSeconds));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].outcome == Watched::Outcome::kClean) {
      made->tools_.push_back(kSanitizers[i]);
    } else {
      made->missing_ += "not looked at by " + all[i].tool +
                        ", which is of no use on the root: " + all[i].report +
                        "\n";
    }
  }
  return made;
}

Result<Examination::Report> Examination::Examine(
    const std::vector<Assignment>& candidate) const {
  if (tools_.empty()) return Report{.log = missing_};
  const Rehearsal rehearsal{candidate[workload_], shapes_, inputs_};
  TRY(all, Watch(options_.runner, folder_, tools_, rehearsal, kSeconds));
  Report report = Conclude(all);
  if (report.verdict == Verdict::kPassed) {
    for (const std::string_view tool : tools_) {
      report.log += (report.log.empty() ? "" : ", ") + std::string(tool);
    }
    report.log += " find nothing\n";
  }
  report.log += missing_;
  return report;
}

}  // namespace coppice::eval::cuda
