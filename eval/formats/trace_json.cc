#include "eval/formats/trace_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace coppice::eval {
namespace {

// A member that may be left out, but is no null.
Result<double> NumberOrZero(const Cursor& document, const std::string& key) {
  const std::optional<Cursor> member = document.Find(key);
  if (!member) return 0.0;
  return member->Number();
}

// None if absent or null.
std::optional<Cursor> FindObject(const Cursor& document,
                                 const std::string& key) {
  std::optional<Cursor> member = document.Find(key);
  if (member && member->Value().is_null()) member.reset();
  return member;
}

Result<double> ReadError(const Cursor& document, const std::string& key) {
  TRY(number, NumberOrZero(document, key));
  if (number < 0.0) return document.Wrong("/" + key + " is negative");
  return number;
}

Result<std::optional<Correctness>> ReadCorrectness(const Cursor& evaluation) {
  const std::optional<Cursor> place = FindObject(evaluation, "correctness");
  if (!place) return std::nullopt;
  TRY_DONE(place->Members());  // It is an object.
  Correctness correctness;
  TRY_ASSIGN(correctness.max_relative_error,
             ReadError(*place, "max_relative_error"));
  TRY_ASSIGN(correctness.max_absolute_error,
             ReadError(*place, "max_absolute_error"));
  if (const std::optional<Cursor> extra = FindObject(*place, "extra")) {
    if (!extra->Value().is_object()) return extra->Wrong("expected an object");
    correctness.extra = DocumentText(extra->Value());
  }
  return correctness;
}

Result<double> ReadDuration(const Cursor& document, const std::string& key) {
  TRY(number, NumberOrZero(document, key));
  // Written so that NaN is refused too.
  if (!(number >= 0.0)) {
    return document.Wrong("/" + key + ": expected a number >= 0");
  }
  return number;
}

Result<std::optional<Performance>> ReadPerformance(const Cursor& evaluation) {
  const std::optional<Cursor> place = FindObject(evaluation, "performance");
  if (!place) return std::nullopt;
  TRY_DONE(place->Members());  // It is an object.
  TRY(latency_ms, ReadDuration(*place, "latency_ms"));
  TRY(reference_latency_ms, ReadDuration(*place, "reference_latency_ms"));
  TRY(speedup_factor, ReadDuration(*place, "speedup_factor"));
  return Performance{latency_ms, reference_latency_ms, speedup_factor};
}

Result<void> ReadEnvironment(const Cursor& place, TraceEvaluation& evaluation) {
  TRY_ASSIGN(evaluation.hardware, place.StringMember("hardware"));
  const std::optional<Cursor> libs = place.Find("libs");
  if (!libs) return {};
  TRY(members, libs->Members());
  for (const auto& [name, member] : members) {
    TRY(version, member.String());
    evaluation.libs.emplace_back(name, std::move(version));
  }
  return {};
}

Result<void> CheckWhatBelongs(const Cursor& place,
                              const TraceEvaluation& evaluation) {
  const bool passed = evaluation.status == TraceStatus::kPassed;
  const bool compared =
      passed || evaluation.status == TraceStatus::kIncorrectNumerical;
  const std::string status(Name(evaluation.status));
  if (compared != evaluation.correctness.has_value()) {
    return place.Wrong(status + (compared ? " has" : " has no") +
                       " correctness");
  }
  if (passed != evaluation.performance.has_value()) {
    return place.Wrong(status + (passed ? " has" : " has no") + " performance");
  }
  return {};
}

Result<TraceEvaluation> ReadEvaluation(const Cursor& place) {
  TraceEvaluation evaluation;
  TRY(status_place, place.Member("status"));
  TRY(status, status_place.OneOf(kTraceStatusNames));
  evaluation.status = static_cast<TraceStatus>(status);
  TRY(environment, place.Member("environment"));
  TRY_DONE(ReadEnvironment(environment, evaluation));
  TRY_ASSIGN(evaluation.timestamp, place.StringMember("timestamp"));
  if (const std::optional<Cursor> log = place.Find("log")) {
    TRY_ASSIGN(evaluation.log, log->String());
  }
  TRY_ASSIGN(evaluation.correctness, ReadCorrectness(place));
  TRY_ASSIGN(evaluation.performance, ReadPerformance(place));
  TRY_DONE(CheckWhatBelongs(place, evaluation));
  return evaluation;
}

Json ToJson(const TraceEvaluation& evaluation) {
  Json libs = Json::object();
  for (const auto& [name, version] : evaluation.libs) libs[name] = version;
  Json json = {{"status", Name(evaluation.status)},
               {"environment",
                {{"hardware", evaluation.hardware}, {"libs", std::move(libs)}}},
               {"timestamp", evaluation.timestamp},
               {"log", evaluation.log},
               {"correctness", nullptr},
               {"performance", nullptr}};
  if (const auto& seen = evaluation.correctness) {
    json["correctness"] = {
        {"max_relative_error", NumberJson(seen->max_relative_error)},
        {"max_absolute_error", NumberJson(seen->max_absolute_error)},
        {"extra",
         seen->extra.empty() ? Json(nullptr) : Json::parse(seen->extra)}};
  }
  if (const auto& seen = evaluation.performance) {
    json["performance"] = {
        {"latency_ms", NumberJson(seen->latency_ms)},
        {"reference_latency_ms", NumberJson(seen->reference_latency_ms)},
        {"speedup_factor", NumberJson(seen->speedup_factor)}};
  }
  return json;
}

}  // namespace

Json NumberJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Result<Trace> ReadTrace(const Cursor& document) {
  Trace trace;
  TRY_ASSIGN(trace.definition, document.StringMember("definition"));
  TRY(place, document.Member("workload"));
  TRY_ASSIGN(trace.workload, ReadWorkload(place));
  TRY_ASSIGN(trace.solution, document.OptionalString("solution"));
  if (const auto evaluation = FindObject(document, "evaluation")) {
    TRY_ASSIGN(trace.evaluation, ReadEvaluation(*evaluation));
  }
  return trace;
}

Json ToJson(const Trace& trace) {
  return {{"definition", trace.definition},
          {"workload", ToJson(trace.workload)},
          {"solution", trace.solution ? Json(*trace.solution) : Json(nullptr)},
          {"evaluation",
           trace.evaluation ? ToJson(*trace.evaluation) : Json(nullptr)}};
}

}  // namespace coppice::eval
