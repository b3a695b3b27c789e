#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "eval/trace_json.h"

namespace coppice::eval {
namespace {

// The format has no word for a broken rule or for "cannot tell"; neither may
// count as a pass.
std::string_view Status(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "PASSED";
    case Verdict::kWrongOutput:
      return "INCORRECT_NUMERICAL";
    case Verdict::kCompileFailed:
    case Verdict::kNoCandidate:
      return "COMPILE_ERROR";
    case Verdict::kTimedOut:
      return "TIMEOUT";
    case Verdict::kCrashed:
    case Verdict::kRejected:
    case Verdict::kInconclusive:
      break;
  }
  return "RUNTIME_ERROR";
}

// JSON has no such numbers; FlashInfer-Bench reads and writes these strings.
Json Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json EnvironmentToJson(const Environment& environment) {
  Json libraries = Json::object();
  for (const auto& [name, version] : environment.libraries) {
    libraries[name] = version;
  }
  libraries["compiler"] = environment.compiler;
  if (!environment.driver.empty()) libraries["driver"] = environment.driver;
  libraries["flags"] = environment.flags;
  libraries["threads"] = std::to_string(environment.threads);
  libraries["system"] = environment.system;
  const std::string& hardware = environment.hardware;
  return {{"hardware", hardware.empty() ? "unknown" : hardware},
          {"libs", libraries}};
}

Json CorrectnessToJson(const WorkloadResult& result) {
  return {{"max_relative_error", Number(result.max_relative_error)},
          {"max_absolute_error", Number(result.max_absolute_error)},
          {"extra",
           {{"worst_error_ratio", Number(result.worst_error_ratio)},
            {"calls_verified", result.calls_verified}}}};
}

// The reference's latency is the root's: the naive C++ source, not the Python.
Json PerformanceToJson(const WorkloadResult& result) {
  constexpr double kMsPerS = 1e3;
  double latency_ms = 0.0;
  double root_ms = 0.0;
  if (!result.samples_s.empty())
    latency_ms = kMsPerS * Median(result.samples_s);
  if (!result.root_samples_s.empty()) {
    root_ms = kMsPerS * Median(result.root_samples_s);
  }
  return {{"latency_ms", latency_ms},
          {"reference_latency_ms", root_ms},
          {"speedup_factor", latency_ms > 0.0 ? root_ms / latency_ms : 0.0}};
}

std::string LimitedLog(const WorkloadResult& result,
                       const Evaluation& evaluation) {
  constexpr std::size_t kLimit = std::size_t{5} << 20;
  std::string log =
      "verdict: " + std::string(Name(result.verdict)) + "\n" + evaluation.log;
  if (log.size() > kLimit) {
    log.resize(kLimit);
    log += "[log truncated]";
  }
  return log;
}

}  // namespace

Json ToJson(const WorkloadResult& result, const Evaluation& evaluation,
            const std::string& timestamp) {
  const bool passed = result.verdict == Verdict::kPassed;
  const bool compared = passed || result.verdict == Verdict::kWrongOutput;
  return {{"status", Status(result.verdict)},
          {"environment", EnvironmentToJson(evaluation.environment)},
          {"timestamp", timestamp},
          {"log", LimitedLog(result, evaluation)},
          {"correctness", compared ? CorrectnessToJson(result) : Json(nullptr)},
          {"performance", passed ? PerformanceToJson(result) : Json(nullptr)}};
}

std::string PrettyText(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string LineText(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace coppice::eval
