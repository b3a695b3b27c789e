#include "engine/tools/tool_runs.h"

#include <string_view>

#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::engine {
namespace {

// The line of a log that begins so; empty if there is none.
std::string LineOf(const std::string& log, std::string_view begin) {
  const std::size_t at = log.find(begin);
  if (at == std::string::npos) return "";
  return log.substr(at, log.find('\n', at) - at);
}

}  // namespace

Result<void> MustHaveKernels(const Task& task) {
  const bool is_python = task.root.language == Language::kPython;
  if ((task.format == TaskFormat::kNative || is_python) &&
      task.root.language != Language::kSim) {
    return {};
  }
  return Fail(Errc::kUsage, task.definition.name +
                                ": a landscape has no kernels that tools "
                                "could look at");
}

Tier TierOfScrutiny(const Task& task, eval::Onlookers onlookers, bool is_full) {
  const bool is_fast = task.root.language == Language::kPython && !is_full &&
                       onlookers == eval::Onlookers::kSanitizers;
  return is_fast ? Tier::kFast : Tier::kFull;
}

Result<std::string> CleanText(const Task& task, const Evaluation& evaluation) {
  const std::string why = LineOf(evaluation.log, eval::kNotSanitized);
  if (!why.empty()) return Fail(Errc::kUnavailable, why);
  switch (task.root.language) {
    case Language::kCuda:
      return std::string(
          "clean: memcheck, racecheck, initcheck and synccheck found nothing");
    case Language::kPython:
      return LineOf(evaluation.log, eval::kSanitized);
    default:
      return std::string(
          "clean: the address and undefined-behaviour sanitizers found "
          "nothing");
  }
}

}  // namespace coppice::engine
