// profile_kernel: what one kernel asks of the machine, and how much it gets.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/documents/document.h"
#include "engine/documents/or_null.h"
#include "engine/documents/profile_json.h"
#include "engine/service/arguments.h"
#include "engine/service/evaluation_fields.h"
#include "engine/service/json.h"
#include "engine/service/kernel_request.h"
#include "engine/service/operation_context.h"
#include "engine/service/rows.h"
#include "engine/service/schemas.h"
#include "engine/service/service.h"
#include "engine/tools/tool_runs.h"
#include "eval/judge/evaluators.h"
#include "store/records/evaluation.h"
#include "store/records/profile.h"
#include "store/records/utf8.h"

namespace coppice::service {
namespace {

struct ProfileRequest : KernelRequest {
  std::string tool;
  std::string workload;  // Empty: the one that takes longest.
};

Result<ProfileRequest> ReadProfile(std::string_view text) {
  Arguments arguments(text);
  ProfileRequest request{
      ReadKernelRequest(arguments),
      arguments.OneOf("tool", {"roofline", "perf", "nsys", "ncu"}),
      arguments.OptionalText("workload").value_or("")};
  TRY_DONE(arguments.Done());
  return request;
}

// All profiles are made in one go, so what is asked for must be there.
Result<void> MustFit(const ProfileRequest& request, const Task& task) {
  TRY_DONE(engine::MustHaveKernels(task));
  const bool is_cpp = task.root.language == Language::kCpp;
  if (is_cpp && (request.tool == "nsys" || request.tool == "ncu")) {
    return Fail(Errc::kUsage, "tool: " + request.tool +
                                  " is of a GPU, on which " +
                                  task.definition.name +
                                  " does not run; roofline and perf are there");
  }
  if (task.root.language == Language::kCuda && request.tool == "perf") {
    return Fail(Errc::kUsage,
                "tool: perf is of processors; roofline, nsys and ncu are "
                "there for " +
                    task.definition.name);
  }
  const auto is_it = [&](const Workload& each) {
    return each.uuid == request.workload;
  };
  if (request.workload.empty() || std::ranges::any_of(task.workloads, is_it)) {
    return {};
  }
  return Fail(Errc::kUsage, "workload: " + request.workload + " is none of " +
                                task.definition.name +
                                "; describe_task lists them");
}

// The workload of the request, or the longest; null: none was profiled.
const WorkloadResult* Chosen(const Evaluation& evaluation,
                             const std::string& workload) {
  const WorkloadResult* chosen = nullptr;
  for (const WorkloadResult& result : evaluation.workloads) {
    if (!result.profile) continue;
    if (!workload.empty() && result.workload != workload) continue;
    if (chosen == nullptr ||
        result.profile->runtime_s > chosen->profile->runtime_s) {
      chosen = &result;
    }
  }
  return chosen;
}

Json KernelsJson(const Profile& profile) {
  Json kernels = Json::array();
  for (const KernelProfile& kernel : profile.kernels) {
    std::optional<double> mean;
    if (kernel.total_s && kernel.calls > 0) {
      mean = *kernel.total_s / static_cast<double>(kernel.calls);
    }
    kernels.push_back({{"name", kernel.name},
                       {"calls", kernel.calls},
                       {"total_s", cli::OrNull(kernel.total_s)},
                       {"mean_s", cli::OrNull(mean)},
                       {"min_s", nullptr},
                       {"max_s", nullptr}});
  }
  return kernels;
}

// Writes all that is known, of all workloads.
std::string ReportOf(const Evaluation& evaluation) {
  const auto json = [](const WorkloadResult& result) {
    return Json{{"workload", result.workload},
                {"profile", cli::ProfileJson(result.profile)}};
  };
  return cli::LineOf({{"verdict", Name(evaluation.verdict)},
                      {"log", evaluation.log},
                      {"profile", evaluation.profile},
                      {"workloads", cli::ArrayOf(evaluation.workloads, json)}});
}

Result<std::string> LookWithProfilers(OperationContext& room,
                                      const RequestedKernel& kernel,
                                      const std::string& workload,
                                      const Call& call) {
  const Task& task = kernel.task->task;
  TRY(evaluation,
      room.evaluator_pool().Judge(
          task, kernel.candidate, Aim::kProfile,
          engine::TierOfScrutiny(task, eval::Onlookers::kProfilers, false),
          call));
  const bool passed = evaluation.verdict == Verdict::kPassed;
  const WorkloadResult* chosen = Chosen(evaluation, workload);
  const std::string name =
      store::ToHex(store::Sha256(kernel.candidate.source)).substr(0, 24);
  const std::string file =
      room.Leave(name + ".profile.json", ReportOf(evaluation));
  return cli::LineOf(
      {{"verdict", Name(evaluation.verdict)},
       {"summary", passed ? evaluation.profile : HeadOf(evaluation.log)},
       {"workload", chosen ? Json(chosen->workload) : Json(nullptr)},
       {"kernels", chosen ? KernelsJson(*chosen->profile) : Json::array()},
       {"counters",
        chosen ? cli::CountersJson(chosen->profile->counters) : Json::object()},
       {"report_file", cli::TextOrNull(file)}});
}

Result<std::string> ProfileKernel(Service& service, const Call& call,
                                  std::string_view text) {
  TRY(request, ReadProfile(text));
  OperationContext& room = OperationContextOf(service);
  TRY(kernel, FindKernel(service, request.task, request.written, call));
  TRY_DONE(MustFit(request, kernel.task->task));
  TRY(key, KeyOf(room.evaluator_pool(), kernel, "profile " + request.workload));
  Work work{.lane = Lane::kTools,
            .key = key ? store::ToHex(*key) : "",
            .run = [&room, kernel = std::move(kernel),
                    workload = request.workload](const Call& own) {
              return LookWithProfilers(room, kernel, workload, own);
            }};
  return AnswerOf(room.jobs().Do(call, std::move(work), request.wait_s));
}

constexpr std::string_view kToolProperty =
    R"("tool":{"type":"string","default":"roofline",)"
    R"("enum":["roofline","perf","nsys","ncu"]})";

}  // namespace

Operation ProfileKernelOperation() {
  static const std::string request =
      ObjectSchema(Listed({kTaskProperty, kKernelProperties, kToolProperty,
                           R"("workload":{"type":"string"})", kWaitProperty}),
                   R"("task")");
  static constexpr std::string_view kCounters =
      R"({"type":"object","additionalProperties":)"
      R"({"type":["number","null"]}})";
  static const std::string kernels =
      ListOf(PartSchema("KernelTimes", {{"name", kText},
                                        {"calls", kCount},
                                        {"total_s", kNumberOrNull},
                                        {"mean_s", kNumberOrNull},
                                        {"min_s", kNumberOrNull},
                                        {"max_s", kNumberOrNull}}));
  static const std::string result = ObjectSchema(
      Listed({kJobProperties, Member("verdict", kVerdict),
              R"("summary":{"type":"string"})",
              R"("workload":{"type":["string","null"]})",
              Member("kernels", kernels), Member("counters", kCounters),
              R"("report_file":{"type":["string","null"]})"}),
      R"("job","state")");
  return {
      .name = "profile_kernel",
      .title = "Profile one kernel",
      .description =
          "What a kernel asks of the machine and what limits it: its place "
          "below the roofs of bandwidth and arithmetic, counters of the "
          "processor (perf), on a GPU each kernel's calls and times (nsys) "
          "and what the device counted (ncu). The report file has all "
          "workloads.",
      .effects = {.read_only = true},
      .request_schema = request,
      .result_schema = result,
      .answer = ProfileKernel,
  };
}

}  // namespace coppice::service
