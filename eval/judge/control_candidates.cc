#include "eval/judge/control_candidates.h"

#include <cmath>
#include <sstream>
#include <utility>

#include "eval/host/replaced_file.h"
#include "eval/host/whole_file.h"
#include "eval/judge/same_task.h"
#include "store/records/formatted.h"
#include "store/records/hash.h"

namespace coppice::eval {
namespace {

constexpr std::size_t kMostKept = 64;
constexpr int kSupposed = 2;
constexpr double kSupposedOff = 0.005;
constexpr double kMostVariance = 4.0;  // Times that differ by e^2.

// The sum of squares over variances, less what it should be.
double Excess(const std::deque<Estimate>& controls, double between) {
  double excess = kSupposed * (kSupposedOff * kSupposedOff / between - 1.0);
  for (const Estimate& control : controls) {
    excess += control.mean * control.mean / (control.variance + between) - 1.0;
  }
  return excess;
}

}  // namespace

ProcessSpread BetweenProcesses(const std::deque<Estimate>& controls) {
  double low = 1e-12;
  double high = kMostVariance;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (Excess(controls, middle) > 0.0 ? low : high) = middle;
  }
  ProcessSpread spread{.variance = high, .freedom = kSupposed};
  for (const Estimate& control : controls) {
    spread.freedom += std::pow(high / (control.variance + high), 2);
  }
  return spread;
}

ControlCandidates::ControlCandidates(std::filesystem::path file,
                                     std::string identity)
    : file_(std::move(file)), identity_(std::move(identity)) {
  std::istringstream lines(ReadWhole(file_).value_or(""));
  std::string first;
  std::getline(lines, first);
  if (first != identity_) return;
  for (Estimate control;
       lines >> control.mean >> control.variance >> control.freedom;) {
    kept_.push_back(control);
  }
}

Result<void> ControlCandidates::Enter(std::vector<WorkloadResult>& workloads) {
  const std::size_t before = kept_.size();
  for (const WorkloadResult& result : workloads) {
    for (const std::vector<double>& ratios : ControlLogRatios(result)) {
      if (const auto control = TrimmedMean(ratios)) kept_.push_back(*control);
    }
  }
  const bool has_new = kept_.size() > before;
  while (kept_.size() > kMostKept) kept_.pop_front();
  const ProcessSpread spread = BetweenProcesses(kept_);
  for (WorkloadResult& result : workloads) result.between_processes = spread;
  return has_new ? Write() : Result<void>();
}

Result<void> ControlCandidates::Write() const {
  std::ostringstream text;
  text.precision(9);
  text << identity_ << "\n";
  for (const Estimate& control : kept_) {
    text << control.mean << " " << control.variance << " " << control.freedom
         << "\n";
  }
  return ReplaceWhole(file_, text.str());
}

ControlCandidates ControlsOf(const std::filesystem::path& cache,
                             const std::string& machine, int threads,
                             const Task& task) {
  const std::string identity = std::to_string(threads) + " threads of " +
                               machine + ", task " + task.definition.name;
  return {cache / Formatted(".controls-%016llx",
                            static_cast<unsigned long long>(
                                Fnv1a(identity + SourceOf(task.root)))),
          identity};
}

}  // namespace coppice::eval
