// compare_kernels: several kernels of one task, ranked by what was measured.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/documents/document.h"
#include "engine/documents/or_null.h"
#include "engine/service/arguments.h"
#include "engine/service/evaluation_fields.h"
#include "engine/service/json.h"
#include "engine/service/kernel_request.h"
#include "engine/service/operation_context.h"
#include "engine/service/rows.h"
#include "engine/service/schemas.h"
#include "engine/service/service.h"

namespace coppice::service {
namespace {

constexpr std::string_view kTier = "fast";
constexpr std::size_t kMost = 8;

struct Named {
  std::string name;
  Written written;
};

struct CompareRequest {
  std::string task;
  std::vector<Named> kernels;
  double wait_s = 0.0;
};

Result<CompareRequest> ReadCompare(std::string_view text) {
  Arguments arguments(text);
  CompareRequest request{arguments.Text("task"), {}, ReadWait(arguments)};
  std::set<std::string> names;
  for (Arguments& part : arguments.Objects("sources", 2, kMost)) {
    Named named{part.Text("name"), ReadWritten(part)};
    if (!names.insert(named.name).second) {
      part.Fault("name: " + named.name.substr(0, 64) + " is there twice");
    }
    request.kernels.push_back(std::move(named));
    arguments.Join(part);
  }
  TRY_DONE(arguments.Done());
  return request;
}

struct Contender {
  std::string name;
  RequestedKernel kernel;
  Known known{};
};

// As evaluate_kernel judges it, and from the same verdicts of before.
Result<Known> JudgeOne(OperationContext& room, const RequestedKernel& kernel,
                       const Call& call) {
  TRY(key, KeyOf(room.evaluator_pool(), kernel, kTier));
  if (const auto known = FindVerdict(room, key)) return *KnownOf(*known);
  TRY(fields, JudgeAndKeep(room, kernel, kTier, key, call));
  return *KnownOf(fields);
}

bool IsFaster(const Contender& a, const Contender& b) {
  const auto& of_a = a.known.speedup;
  const auto& of_b = b.known.speedup;
  if (of_a.has_value() != of_b.has_value()) return of_a.has_value();
  return of_a && of_a->ratio > of_b->ratio;
}

Json Ranked(const Contender& contender) {
  const auto& speedup = contender.known.speedup;
  return {{"name", contender.name},
          {"verdict", Name(contender.known.verdict)},
          {"speedup", cli::OrNull(speedup, &Speedup::ratio)},
          {"interval", IntervalJson(speedup)}};
}

// Those of which the first is faster, beyond what may be noise.
Json ToldApart(const std::vector<Contender>& ranked) {
  Json pairs = Json::array();
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    for (std::size_t j = i + 1; j < ranked.size(); ++j) {
      const auto& a = ranked[i].known.speedup;
      const auto& b = ranked[j].known.speedup;
      if (!a || !b || Over(*a, *b).Sign() == 0) continue;
      pairs.push_back({ranked[i].name, ranked[j].name});
    }
  }
  return pairs;
}

Result<std::string> CompareAll(OperationContext& room,
                               std::vector<Contender> contenders,
                               const Call& call) {
  double done = 0.0;
  for (Contender& contender : contenders) {
    if (call.progress) {
      call.progress({"timing", done, static_cast<double>(contenders.size()),
                     contender.name});
    }
    const Call own{call.client, call.cancelled, {}};
    TRY_ASSIGN(contender.known, JudgeOne(room, contender.kernel, own));
    done += 1.0;
  }
  std::ranges::stable_sort(contenders, IsFaster);
  return cli::LineOf({{"ranking", cli::ArrayOf(contenders, Ranked)},
                      {"told_apart", ToldApart(contenders)}});
}

Result<std::string> CompareKernels(Service& service, const Call& call,
                                   std::string_view text) {
  TRY(request, ReadCompare(text));
  OperationContext& room = OperationContextOf(service);
  std::vector<Contender> contenders;
  for (const Named& named : request.kernels) {
    auto kernel = FindKernel(service, request.task, named.written, call);
    if (!kernel) {
      return Fail(kernel.error().code,
                  "sources: " + named.name + ": " + kernel.error().what);
    }
    contenders.push_back({named.name, *std::move(kernel)});
  }
  Work work{.lane = Lane::kTimed,
            .run = [&room, contenders =
                               std::move(contenders)](const Call& own) mutable {
              return CompareAll(room, std::move(contenders), own);
            }};
  return AnswerOf(room.jobs().Do(call, std::move(work), request.wait_s));
}

}  // namespace

Operation CompareKernelsOperation() {
  static const std::string request = ObjectSchema(
      Listed(
          {kTaskProperty,
           R"("sources":{"type":"array","minItems":2,"maxItems":8,)"
           R"("items":{"type":"object","title":"NamedKernel",)"
           R"("properties":{"name":{"type":"string"},"source":{"type":"string"},)"
           R"("path":{"type":"string"},"language":{"type":"string"}},)"
           R"("required":["name"],"additionalProperties":false}})",
           kWaitProperty}),
      R"("task","sources")");
  static const std::string ranking =
      ListOf(PartSchema("RankedKernel", {{"name", kText},
                                         {"verdict", kVerdict},
                                         {"speedup", kNumberOrNull},
                                         {"interval", kInterval}}));
  static const std::string result = ObjectSchema(
      Listed({kJobProperties, Member("ranking", ranking),
              R"("told_apart":{"type":"array","items":{"type":"array",)"
              R"("items":{"type":"string"}}})"}),
      R"("job","state")");
  return {
      .name = "compare_kernels",
      .title = "Rank several kernels",
      .description =
          "Judges two to eight kernels of one task, and ranks them by "
          "how many "
          "times as fast as its root they are. told_apart has the pairs whose "
          "difference is more than noise, the faster one first; of all other "
          "pairs nothing is claimed.",
      .effects = {.read_only = true, .idempotent = true},
      .request_schema = request,
      .result_schema = result,
      .answer = CompareKernels,
  };
}

}  // namespace coppice::service
