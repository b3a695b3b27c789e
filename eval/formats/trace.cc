#include "eval/formats/trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "eval/formats/shapes.h"
#include "eval/formats/trace_json.h"
#include "store/records/evaluation.h"

namespace coppice::eval {
namespace {

constexpr const char* kOurs = "coppice";
constexpr std::string_view kOursInLog = "coppice: ";
constexpr double kMsPerS = 1e3;
// First lines of logs: what a verdict cannot say of others' traces.
constexpr std::string_view kTheirShape = Name(TraceStatus::kIncorrectShape);
constexpr std::string_view kTheirDtype = Name(TraceStatus::kIncorrectDtype);
constexpr std::array<std::string_view, 2> kTierNames = {"fast", "full"};

template <class Number>
void Put(Json& json, const char* key, const std::optional<Number>& number) {
  if (number) json[key] = *number;
}

// One list for each field, as samples_s is; null where one is not known.
Json ReadingsJson(const std::vector<SampleReading>& readings) {
  Json json = {{"session", Json::array()},
               {"calls", Json::array()},
               {"wall_s", Json::array()},
               {"cpu_s", Json::array()},
               {"clock_mhz", Json::array()}};
  const auto value = [](const std::optional<double>& number) {
    return number ? Json(*number) : Json(nullptr);
  };
  for (const SampleReading& reading : readings) {
    json["session"].push_back(reading.session);
    json["calls"].push_back(reading.calls);
    json["wall_s"].push_back(value(reading.wall_s));
    json["cpu_s"].push_back(value(reading.cpu_s));
    json["clock_mhz"].push_back(value(reading.clock_mhz));
  }
  return json;
}

// All of ours that the format has no field for.
Json Ours(const WorkloadResult& result, const Evaluation& evaluation,
          const Occasion& occasion, bool compared) {
  Json json = {{"verdict", Name(result.verdict)},
               {"evaluation", Name(evaluation.verdict)},
               {"ordinal", occasion.ordinal},
               {"further", occasion.further},
               {"decides", occasion.decides},
               {"tier", kTierNames[static_cast<std::size_t>(evaluation.tier)]},
               {"compile_s", evaluation.compile_s},
               {"check_s", evaluation.check_s},
               {"timing_s", evaluation.timing_s}};
  if (occasion.is_root) json["root"] = true;
  if (!occasion.baseline.empty()) json["baseline"] = occasion.baseline;
  Put(json, "device_s", evaluation.device_s);
  if (!evaluation.profile.empty()) json["profile"] = evaluation.profile;
  if (evaluation.workloads.empty()) {
    json["ran"] = false;
    return json;
  }
  if (!compared) {
    json["max_relative_error"] = NumberJson(result.max_relative_error);
    json["max_absolute_error"] = NumberJson(result.max_absolute_error);
  }
  json["worst_error_ratio"] = NumberJson(result.worst_error_ratio);
  json["calls_verified"] = result.calls_verified;
  json["samples_s"] = result.samples_s;
  json["root_samples_s"] = result.root_samples_s;
  if (!result.control_samples_s.empty()) {
    json["control_samples_s"] = result.control_samples_s;
  }
  if (const auto& between = result.between_processes) {
    json["process_variance"] = between->variance;
    json["process_freedom"] = between->freedom;
  }
  json["readings"] = ReadingsJson(result.readings);
  json["discarded_samples"] = result.discarded_samples;
  Put(json, "floor_s", result.floor_s);
  Put(json, "temperature_c", result.temperature_c);
  return json;
}

std::vector<std::pair<std::string, std::string>> LibsOf(
    const Environment& environment) {
  auto libs = environment.libraries;
  libs.emplace_back("compiler", environment.compiler);
  libs.emplace_back("driver", environment.driver);
  libs.emplace_back("facts", environment.facts);
  libs.emplace_back("flags", environment.flags);
  libs.emplace_back("system", environment.system);
  libs.emplace_back("threads", std::to_string(environment.threads));
  return libs;
}

// The reference's latency is the root's.
Performance PerformanceOf(const WorkloadResult& result) {
  Performance performance;
  if (!result.samples_s.empty()) {
    performance.latency_ms = kMsPerS * Median(result.samples_s);
  }
  if (!result.root_samples_s.empty()) {
    performance.reference_latency_ms = kMsPerS * Median(result.root_samples_s);
  }
  if (performance.latency_ms > 0.0) {
    performance.speedup_factor =
        performance.reference_latency_ms / performance.latency_ms;
  }
  return performance;
}

std::string LimitedLog(std::string log) {
  constexpr std::size_t kLimit = std::size_t{5} << 20;
  if (log.size() > kLimit) {
    log.resize(kLimit);
    log += "[log truncated]";
  }
  return log;
}

// The log without the line that EvaluationOf put there.
std::string OwnLog(const std::string& log) {
  for (const std::string_view name : {kTheirShape, kTheirDtype}) {
    if (log.starts_with(std::string(name) + "\n")) {
      return log.substr(name.size() + 1);
    }
  }
  return log;
}

TraceEvaluation ToTrace(const WorkloadResult& result,
                        const Evaluation& evaluation,
                        const std::string& timestamp,
                        const Occasion& occasion) {
  const bool passed = result.verdict == Verdict::kPassed && !occasion.refuted;
  const TraceStatus status = occasion.refuted
                                 ? StatusOf(Verdict::kRejected, "")
                                 : StatusOf(result.verdict, evaluation.log);
  const bool compared = passed || status == TraceStatus::kIncorrectNumerical;
  const Environment& environment = evaluation.environment;
  TraceEvaluation traced;
  traced.status = status;
  traced.hardware =
      environment.hardware.empty() ? "unknown" : environment.hardware;
  traced.libs = LibsOf(environment);
  traced.timestamp = timestamp;
  const Json ours = Ours(result, evaluation, occasion, compared);
  if (compared) {
    traced.log = LimitedLog(OwnLog(evaluation.log));
    traced.correctness = {result.max_relative_error, result.max_absolute_error,
                          DocumentText({{kOurs, ours}})};
  } else {
    traced.log = LimitedLog(std::string(kOursInLog) + DocumentText(ours) +
                            "\n" + OwnLog(evaluation.log));
  }
  if (passed) traced.performance = PerformanceOf(result);
  return traced;
}

// What never came to run a workload, such as a failed compilation, holds of
// all of them.
std::vector<WorkloadResult> ResultsOf(const Task& task,
                                      const Evaluation& evaluation) {
  if (!evaluation.workloads.empty()) return evaluation.workloads;
  std::vector<WorkloadResult> results;
  for (const Workload& workload : task.workloads) {
    WorkloadResult result;
    result.workload = workload.uuid;
    result.verdict = evaluation.verdict;
    results.push_back(std::move(result));
  }
  return results;
}

// Takes its line off the log if it is there.  Null: it is nowhere.
Result<Json> TakeOurs(const TraceEvaluation& traced, std::string& log) {
  log = traced.log;
  if (traced.correctness && !traced.correctness->extra.empty()) {
    TRY(extra, ParseJson(traced.correctness->extra, "extra"));
    return extra.contains(kOurs) ? extra[kOurs] : Json(nullptr);
  }
  if (!log.starts_with(kOursInLog)) return Json(nullptr);
  const std::size_t end = std::min(log.find('\n'), log.size());
  const std::string line =
      log.substr(kOursInLog.size(), end - kOursInLog.size());
  log.erase(0, end + 1);
  return ParseJson(line, kOurs);
}

Result<double> NumberAt(const Cursor& place, const std::string& key) {
  TRY(member, place.Member(key));
  return member.Number();
}

Result<std::int64_t> CountAt(const Cursor& place, const std::string& key) {
  TRY(member, place.Member(key));
  return member.NonNegativeInteger();
}

Result<bool> FlagAt(const Cursor& place, const std::string& key) {
  TRY(member, place.Member(key));
  if (!member.Value().is_boolean()) return member.Wrong("expected a boolean");
  return member.Value().get<bool>();
}

Result<std::optional<double>> OptionalNumber(const Cursor& place) {
  if (place.Value().is_null()) return std::nullopt;
  return place.Number();
}

Result<std::optional<double>> OptionalNumberAt(const Cursor& place,
                                               const std::string& key) {
  const std::optional<Cursor> member = place.Find(key);
  if (!member) return std::nullopt;
  return OptionalNumber(*member);
}

Result<std::vector<double>> NumbersAt(const Cursor& place,
                                      const std::string& key) {
  TRY(list, place.Member(key));
  TRY(items, list.Items());
  std::vector<double> numbers;
  for (const Cursor& item : items) {
    TRY(number, item.Number());
    numbers.push_back(number);
  }
  return numbers;
}

Result<Verdict> VerdictAt(const Cursor& place, const std::string& key) {
  TRY(member, place.Member(key));
  TRY(index, member.OneOf(kVerdictNames));
  return static_cast<Verdict>(index);
}

Result<std::vector<SampleReading>> ReadReadings(const Cursor& place) {
  std::map<std::string, std::vector<Cursor>> columns;
  std::size_t length = 0;
  for (const char* key : {"session", "calls", "wall_s", "cpu_s", "clock_mhz"}) {
    TRY(list, place.Member(key));
    TRY(items, list.Items());
    if (!columns.empty() && items.size() != length) {
      return list.Wrong("has another length than its siblings");
    }
    length = items.size();
    columns.emplace(key, std::move(items));
  }
  std::vector<SampleReading> readings;
  for (std::size_t i = 0; i < length; ++i) {
    TRY(session, columns.at("session")[i].NonNegativeInteger());
    TRY(calls, columns.at("calls")[i].NonNegativeInteger());
    TRY(wall_s, OptionalNumber(columns.at("wall_s")[i]));
    TRY(cpu_s, OptionalNumber(columns.at("cpu_s")[i]));
    TRY(clock_mhz, OptionalNumber(columns.at("clock_mhz")[i]));
    readings.push_back(
        {static_cast<int>(session), calls, wall_s, cpu_s, clock_mhz});
  }
  return readings;
}

// The evaluation's own, equal in all its traces.
Result<void> ReadWhole(const Cursor& ours, Evaluation& evaluation) {
  TRY_ASSIGN(evaluation.verdict, VerdictAt(ours, "evaluation"));
  TRY(tier_place, ours.Member("tier"));
  TRY(tier, tier_place.OneOf(kTierNames));
  evaluation.tier = static_cast<Tier>(tier);
  TRY_ASSIGN(evaluation.compile_s, NumberAt(ours, "compile_s"));
  TRY_ASSIGN(evaluation.check_s, NumberAt(ours, "check_s"));
  TRY_ASSIGN(evaluation.timing_s, NumberAt(ours, "timing_s"));
  TRY_ASSIGN(evaluation.device_s, OptionalNumberAt(ours, "device_s"));
  TRY_ASSIGN(evaluation.profile, ours.StringOrEmpty("profile"));
  return {};
}

Result<void> ReadResult(const Cursor& ours, WorkloadResult& result) {
  TRY_ASSIGN(result.verdict, VerdictAt(ours, "verdict"));
  if (ours.Find("max_relative_error")) {
    TRY_ASSIGN(result.max_relative_error, NumberAt(ours, "max_relative_error"));
    TRY_ASSIGN(result.max_absolute_error, NumberAt(ours, "max_absolute_error"));
  }
  TRY_ASSIGN(result.worst_error_ratio, NumberAt(ours, "worst_error_ratio"));
  TRY_ASSIGN(result.calls_verified, CountAt(ours, "calls_verified"));
  TRY_ASSIGN(result.samples_s, NumbersAt(ours, "samples_s"));
  TRY_ASSIGN(result.root_samples_s, NumbersAt(ours, "root_samples_s"));
  if (ours.Find("control_samples_s")) {
    TRY_ASSIGN(result.control_samples_s, NumbersAt(ours, "control_samples_s"));
  }
  if (ours.Find("process_variance")) {
    TRY(variance, NumberAt(ours, "process_variance"));
    TRY(freedom, NumberAt(ours, "process_freedom"));
    result.between_processes = {variance, freedom};
  }
  TRY(readings_place, ours.Member("readings"));
  TRY_ASSIGN(result.readings, ReadReadings(readings_place));
  TRY_ASSIGN(result.discarded_samples, CountAt(ours, "discarded_samples"));
  TRY_ASSIGN(result.floor_s, OptionalNumberAt(ours, "floor_s"));
  TRY_ASSIGN(result.temperature_c, OptionalNumberAt(ours, "temperature_c"));
  return {};
}

// What a tool of others says of one workload.
void TakeTheirs(const TraceEvaluation& traced, WorkloadResult& result) {
  result.verdict = VerdictOf(traced.status);
  if (traced.performance) {
    result.samples_s = {traced.performance->latency_ms / kMsPerS};
    result.root_samples_s = {traced.performance->reference_latency_ms /
                             kMsPerS};
  }
}

Environment EnvironmentOf(const TraceEvaluation& traced) {
  Environment environment;
  environment.hardware = traced.hardware;
  const std::map<std::string, std::string*> texts = {
      {"compiler", &environment.compiler},
      {"driver", &environment.driver},
      {"facts", &environment.facts},
      {"flags", &environment.flags},
      {"system", &environment.system}};
  for (const auto& [name, version] : traced.libs) {
    if (const auto text = texts.find(name); text != texts.end()) {
      *text->second = version;
    } else if (name == "threads") {
      const Json number = version;
      environment.threads =
          static_cast<int>(Cursor(number, "").NonNegativeInteger().value_or(1));
    } else {
      environment.libraries.emplace_back(name, version);
    }
  }
  return environment;
}

// Medians of nothing, and logarithms of zero, are no runtimes.
bool HasLatencies(const Evaluation& evaluation) {
  const auto positive = [](const std::vector<double>& samples) {
    return !samples.empty() && Median(samples) > 0.0;
  };
  return !evaluation.workloads.empty() &&
         std::all_of(evaluation.workloads.begin(), evaluation.workloads.end(),
                     [&](const WorkloadResult& result) {
                       return positive(result.samples_s) &&
                              positive(result.root_samples_s);
                     });
}

// One that failed, if any did.
Verdict WorstOf(const std::vector<WorkloadResult>& results) {
  for (const WorkloadResult& result : results) {
    if (result.verdict != Verdict::kPassed) return result.verdict;
  }
  return Verdict::kPassed;
}

}  // namespace

TraceStatus StatusOf(Verdict verdict, const std::string& log) {
  const std::string_view line = std::string_view(log).substr(0, log.find('\n'));
  switch (verdict) {
    case Verdict::kPassed:
      return TraceStatus::kPassed;
    case Verdict::kWrongOutput:
      if (line.find(kOtherShape) != line.npos || line == kTheirShape) {
        return TraceStatus::kIncorrectShape;
      }
      if (line.find(kOtherType) != line.npos || line == kTheirDtype) {
        return TraceStatus::kIncorrectDtype;
      }
      return TraceStatus::kIncorrectNumerical;
    case Verdict::kCompileFailed:
    case Verdict::kNoCandidate:
      return TraceStatus::kCompileError;
    case Verdict::kTimedOut:
      return TraceStatus::kTimeout;
    case Verdict::kCrashed:
    case Verdict::kRejected:
    case Verdict::kInconclusive:
      break;
  }
  return TraceStatus::kRuntimeError;
}

Verdict VerdictOf(TraceStatus status) {
  switch (status) {
    case TraceStatus::kPassed:
      return Verdict::kPassed;
    case TraceStatus::kIncorrectShape:
    case TraceStatus::kIncorrectNumerical:
    case TraceStatus::kIncorrectDtype:
      return Verdict::kWrongOutput;
    case TraceStatus::kCompileError:
      return Verdict::kCompileFailed;
    case TraceStatus::kTimeout:
      return Verdict::kTimedOut;
    case TraceStatus::kRuntimeError:
      break;
  }
  return Verdict::kCrashed;
}

Result<std::vector<Trace>> TracesOf(const Task& task,
                                    const std::string& solution,
                                    const Evaluation& evaluation,
                                    const std::string& timestamp,
                                    const Occasion& occasion) {
  std::vector<Trace> traces;
  for (const WorkloadResult& result : ResultsOf(task, evaluation)) {
    const auto workload = std::find_if(
        task.workloads.begin(), task.workloads.end(),
        [&](const Workload& known) { return known.uuid == result.workload; });
    if (workload == task.workloads.end()) {
      return Fail(Errc::kUsage, task.definition.name + ": no workload \"" +
                                    result.workload + "\"");
    }
    traces.push_back({task.definition.name, *workload, solution,
                      ToTrace(result, evaluation, timestamp, occasion)});
  }
  return traces;
}

Result<std::optional<Occasion>> OccasionOf(const TraceEvaluation& traced) {
  std::string log;
  TRY(ours, TakeOurs(traced, log));
  if (ours.is_null()) return std::nullopt;
  const Cursor place(ours, kOurs);
  Occasion occasion;
  // Older ones say nothing of this: each was its node's only one.
  if (!place.Find("ordinal")) return occasion;
  TRY_ASSIGN(occasion.ordinal, CountAt(place, "ordinal"));
  TRY_ASSIGN(occasion.further, FlagAt(place, "further"));
  TRY_ASSIGN(occasion.decides, FlagAt(place, "decides"));
  if (place.Find("root")) {
    TRY_ASSIGN(occasion.is_root, FlagAt(place, "root"));
  }
  TRY_ASSIGN(occasion.baseline, place.StringOrEmpty("baseline"));
  return occasion;
}

Result<Evaluation> EvaluationOf(const std::vector<Trace>& traces) {
  Evaluation evaluation;
  bool is_ours = false;
  for (const Trace& trace : traces) {
    const TraceEvaluation& traced = *trace.evaluation;
    WorkloadResult result;
    result.workload = trace.workload.uuid;
    if (traced.correctness) {
      result.max_relative_error = traced.correctness->max_relative_error;
      result.max_absolute_error = traced.correctness->max_absolute_error;
    }
    std::string log;
    TRY(ours, TakeOurs(traced, log));
    if (&trace == &traces.front()) {
      is_ours = !ours.is_null();
      evaluation.environment = EnvironmentOf(traced);
      evaluation.log = std::move(log);
    }
    const Cursor place(ours, trace.workload.uuid + ": coppice");
    if (ours.is_null()) {
      TakeTheirs(traced, result);
      if (&trace == &traces.front() &&
          (traced.status == TraceStatus::kIncorrectShape ||
           traced.status == TraceStatus::kIncorrectDtype)) {
        evaluation.log.insert(0, std::string(Name(traced.status)) + "\n");
      }
    } else {
      TRY_DONE(ReadWhole(place, evaluation));
      if (place.Find("ran")) continue;
      TRY_DONE(ReadResult(place, result));
    }
    evaluation.workloads.push_back(std::move(result));
  }
  if (!is_ours) evaluation.verdict = WorstOf(evaluation.workloads);
  if (evaluation.verdict == Verdict::kPassed) {
    if (!HasLatencies(evaluation)) {
      return Fail(Errc::kCorrupt, traces.front().solution.value_or("") +
                                      ": passed without a latency of its own "
                                      "or of the reference");
    }
    Summarise(evaluation);
  }
  return evaluation;
}

}  // namespace coppice::eval
