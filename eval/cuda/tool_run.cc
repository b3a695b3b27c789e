#include "eval/cuda/tool_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "eval/cuda/preparation.h"
#include "eval/cuda/sanitizers.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/inputs.h"
#include "store/records/random.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kSeconds = 20.0;

std::uint64_t AllBytes(const Shapes& shapes) {
  return BytesOf(shapes.inputs) + BytesOf(shapes.outputs);
}

}  // namespace

Result<HostInputs> RehearsalInputs(const Shapes& shapes,
                                   const Workload& workload,
                                   std::uint64_t seed) {
  RandomStream stream(seed, Purpose::kInputs, 0);
  TRY(made, MakeInputs(shapes, workload, stream));
  return ShareInputs(made);
}

Result<ToolRun::Place> ToolRun::Open(const Task& task, const Workload& workload,
                                     const RunnerProgram& root) const {
  Place place;
  TRY_ASSIGN(place.shapes, Resolve(task.definition, workload));
  TRY_ASSIGN(place.inputs,
             RehearsalInputs(place.shapes, workload, options_.seed));
  place.root = root;
  return place;
}

Result<std::unique_ptr<ToolRun>> ToolRun::Make(ToolRunOptions options,
                                               const Task& task,
                                               const Prepared& root) {
  std::unique_ptr<ToolRun> made(new ToolRun());
  const auto folder = FindSanitizers(options.toolkit);
  made->options_ = std::move(options);
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    TRY(shapes, Resolve(task.definition, task.workloads[i]));
    if (AllBytes(shapes) >= least) continue;
    least = AllBytes(shapes);
    made->workload_ = i;
  }
  if (!folder) {
    made->missing_ = std::string(kNotSanitized) +
                     "compute-sanitizer is not found; it comes with the CUDA "
                     "toolkit\n";
    return made;
  }
  made->folder_ = *folder;
  TRY_ASSIGN(made->usual_, made->Open(task, task.workloads[made->workload_],
                                      root.assignments[made->workload_]));
  made->usual_.tools.assign(std::begin(kSanitizers), std::end(kSanitizers));
  const std::optional<Workload> workload = Reduced(task);
  if (workload && root.reduced) {
    TRY_ASSIGN(made->reduced_, made->Open(task, *workload, *root.reduced));
    made->reduced_shape_ = ShapeText(*workload);
  }
  return made;
}

Result<std::vector<SanitizerOutput>> ToolRun::Ask(
    const Place& place, const RunnerProgram& runner_program,
    std::span<const std::string_view> tools) {
  return Watch(options_.runner, folder_, tools,
               {runner_program, place.shapes, place.inputs}, kSeconds);
}

Result<void> ToolRun::AskAboutRoot(
    Place& place, const std::vector<SanitizerOutput>& of_candidate) {
  const auto doubtful = Doubtful(of_candidate, place.of_root);
  if (doubtful.empty()) return {};
  TRY(asked, Ask(place, place.root, doubtful));
  for (SanitizerOutput& watched : asked) {
    if (watched.outcome != SanitizerOutput::Outcome::kClean) {
      std::erase(place.tools, watched.tool);
      missing_ += WithoutUse(watched);
    }
    place.of_root.push_back(std::move(watched));
  }
  return {};
}

// To where there is less to do, those who had too little time.
void ToolRun::SendElsewhere(std::vector<SanitizerOutput>& all) {
  if (!reduced_) return;
  std::erase_if(all, [&](const SanitizerOutput& watched) {
    if (watched.outcome != SanitizerOutput::Outcome::kLate) return false;
    const auto tool = std::ranges::find(usual_.tools, watched.tool);
    reduced_->tools.push_back(*tool);
    usual_.tools.erase(tool);
    return true;
  });
}

Result<std::vector<SanitizerOutput>> ToolRun::LookAt(
    Place& place, const RunnerProgram& candidate) {
  if (place.tools.empty()) return std::vector<SanitizerOutput>();
  TRY(all, Ask(place, candidate, place.tools));
  if (&place == &usual_) SendElsewhere(all);
  TRY_DONE(AskAboutRoot(place, all));
  return OfUse(std::move(all), place.of_root);
}

Result<Outcome> ToolRun::Examine(const Prepared& candidate) {
  TRY(all, LookAt(usual_, candidate.assignments[workload_]));
  if (reduced_ && candidate.reduced) {
    TRY(further, LookAt(*reduced_, *candidate.reduced));
    std::ranges::move(further, std::back_inserter(all));
  } else if (reduced_) {
    for (const std::string_view tool : reduced_->tools) {
      all.push_back({std::string(tool), SanitizerOutput::Outcome::kNoWord,
                     "it has no launches with " + reduced_shape_});
    }
  }
  Outcome report = Conclude(all);
  std::string clean;
  for (const Place* place : {&usual_, reduced_ ? &*reduced_ : nullptr}) {
    if (place == nullptr || report.verdict != Verdict::kPassed) continue;
    for (const std::string_view tool : place->tools) {
      clean += (clean.empty() ? "" : ", ") + std::string(tool);
      if (place != &usual_) clean += " (with " + reduced_shape_ + ")";
    }
  }
  if (!clean.empty()) report.log += clean + " find nothing\n";
  report.log += missing_;
  return report;
}

}  // namespace coppice::eval::cuda
