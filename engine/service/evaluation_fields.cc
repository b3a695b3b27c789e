#include "engine/service/evaluation_fields.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/documents/document.h"
#include "engine/documents/or_null.h"
#include "engine/service/json.h"
#include "engine/service/operation_context.h"
#include "engine/service/schemas.h"
#include "store/records/evaluation.h"
#include "store/records/outcome.h"
#include "store/records/utf8.h"

namespace coppice::service {
namespace {

constexpr std::size_t kMostWorkloads = 16;

Json WorkloadJson(const Task& task, const WorkloadResult& result) {
  Json json = {{"workload", result.workload},
               {"verdict", Name(result.verdict)},
               {"error_ratio", result.worst_error_ratio},
               {"runtime_s", nullptr},
               {"root_runtime_s", nullptr},
               {"floor_s", cli::OrNull(result.floor_s)}};
  if (result.samples_s.empty()) return json;
  const auto middle = task.protocol == Protocol::kCoppice ? Median : Mean;
  json["runtime_s"] = middle(result.samples_s);
  json["root_runtime_s"] = middle(result.root_samples_s);
  return json;
}

// What failed goes before what passed.
Json WorkloadsJson(const Task& task, const Evaluation& evaluation) {
  std::vector<const WorkloadResult*> results;
  for (const WorkloadResult& result : evaluation.workloads) {
    results.push_back(&result);
  }
  std::stable_partition(results.begin(), results.end(),
                        [](const WorkloadResult* result) {
                          return result->verdict != Verdict::kPassed;
                        });
  Json all = Json::array();
  for (const WorkloadResult* result : results) {
    if (all.size() == kMostWorkloads) break;
    all.push_back(WorkloadJson(task, *result));
  }
  return all;
}

}  // namespace

Json IntervalJson(const std::optional<Speedup>& speedup) {
  if (!speedup || !speedup->interval) return nullptr;
  return {speedup->interval->low, speedup->interval->high};
}

std::string FieldsOf(const Task& task, const Evaluation& evaluation,
                     const OperationContext& room, const std::string& name) {
  const bool passed = evaluation.verdict == Verdict::kPassed;
  const bool is_timed = passed && evaluation.speedup.has_value();
  std::string head = passed ? "" : HeadOf(evaluation.log);
  const bool is_cut = head.size() < evaluation.log.size() && !passed;
  const std::string file =
      is_cut ? room.Leave(name + ".log", evaluation.log) : "";
  Json fields = {
      {"verdict", Name(evaluation.verdict)},
      {"passed", passed},
      {"rule", evaluation.breach == Breach::kNone
                   ? Json(nullptr)
                   : Json(Name(evaluation.breach))},
      {"speedup", is_timed ? Json(evaluation.speedup->ratio) : Json(nullptr)},
      {"interval", IntervalJson(evaluation.speedup)},
      {"cannot_tell", is_timed && evaluation.speedup->Sign() == 0},
      {"runtime_s", cli::OrNull(evaluation.runtime_s)},
      {"workloads", WorkloadsJson(task, evaluation)},
      {"error_head", std::move(head)},
      {"log_file", cli::TextOrNull(file)},
      {"profile", std::string(PartsOf(evaluation.profile).limits)}};
  return cli::LineOf(fields);
}

std::string WithoutLostFile(std::string fields) {
  Json json = Json::parse(fields, nullptr, false);
  if (!json.is_object()) return fields;
  const auto file = json.find("log_file");
  if (file == json.end() || !file->is_string()) return fields;
  std::error_code unknown;
  if (std::filesystem::exists(file->get<std::string>(), unknown)) return fields;
  *file = nullptr;
  return cli::LineOf(json);
}

const std::string& FieldsSchema() {
  static const std::string workloads =
      ListOf(PartSchema("WorkloadResult", {{"workload", kText},
                                           {"verdict", kVerdict},
                                           {"error_ratio", kNumberOrNull},
                                           {"runtime_s", kNumberOrNull},
                                           {"root_runtime_s", kNumberOrNull},
                                           {"floor_s", kNumberOrNull}}));
  static const std::string schema = Listed(
      {Member("verdict", kVerdict), R"("passed":{"type":"boolean"})",
       Member("rule", kTextOrNull), Member("speedup", kNumberOrNull),
       Member("interval", kInterval), R"("cannot_tell":{"type":"boolean"})",
       Member("runtime_s", kNumberOrNull), Member("workloads", workloads),
       Member("error_head", kText), Member("log_file", kTextOrNull),
       Member("profile", kText)});
  return schema;
}

std::optional<Known> KnownOf(std::string_view fields) {
  const Json json = Json::parse(fields, nullptr, false);
  if (!json.is_object() || !json.contains("verdict")) return std::nullopt;
  Known known;
  if (!json["verdict"].is_string()) return std::nullopt;
  const auto verdict = ParseVerdict(json["verdict"].get<std::string>());
  if (!verdict) return std::nullopt;
  known.verdict = *verdict;
  // Another version may have kept it, or nobody that we know.
  const auto speedup = json.find("speedup");
  if (speedup == json.end() || !speedup->is_number()) return known;
  known.speedup = Speedup{speedup->get<double>(), {}};
  const auto interval = json.find("interval");
  const bool has_both = interval != json.end() && interval->is_array() &&
                        interval->size() == 2 && (*interval)[0].is_number() &&
                        (*interval)[1].is_number();
  if (has_both) {
    known.speedup->interval = {(*interval)[0].get<double>(),
                               (*interval)[1].get<double>()};
  }
  return known;
}

bool IsForGood(const Evaluation& evaluation) {
  // A compiler may be killed where memory runs out, which is no kernel's fault.
  const bool is_killed =
      evaluation.verdict == Verdict::kCompileFailed &&
      (evaluation.log.find("signal terminated program") != std::string::npos ||
       evaluation.log.find("the compiler died of") != std::string::npos);
  return !is_killed && evaluation.verdict != Verdict::kTimedOut &&
         evaluation.verdict != Verdict::kInconclusive &&
         evaluation.verdict != Verdict::kCrashed;
}

}  // namespace coppice::service
