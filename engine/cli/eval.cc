// coppice eval TASK FILE: judges one kernel, or what the task is compared with;
// or says what tools see in it.
#include <nlohmann/json.hpp>
#include <ostream>

#include "agents/prompt/describe.h"
#include "config/keys.h"
#include "engine/campaign/expert_baseline.h"
#include "engine/campaign/outage_listener.h"
#include "engine/campaign/short_text.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/kernel_file.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/profile_json.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/process/interrupts.h"
#include "eval/judge/evaluator.h"
#include "store/records/evaluation.h"
#include "store/records/formatted.h"
#include "store/records/hot_loop.h"
#include "store/records/outcome.h"
#include "store/records/profile.h"
#include "store/records/tier.h"

namespace coppice::cli {
namespace {

// What the samples of a workload count as, by the protocol: benchmarks take the
// mean (FlashInfer-Bench's one sample is the mean of medians already).
struct Statistic {
  const char* name;
  double (*of)(std::vector<double>);
};

Statistic StatisticOf(const Task& task) {
  if (task.protocol == Protocol::kCoppice) return {"median", Median};
  return {"mean", Mean};
}

// By other arguments than it expects, or by a name that it does not have.
bool MayBeCalledWrongly(const Evaluation& evaluation) {
  if (evaluation.verdict == Verdict::kCompileFailed) {
    return evaluation.log.find("the entry is missing") != std::string::npos;
  }
  return evaluation.verdict == Verdict::kWrongOutput ||
         evaluation.verdict == Verdict::kCrashed;
}

// The compiler's words, with the user's name for the file.
std::string LogOf(const Evaluation& evaluation, const std::string& file) {
  constexpr std::string_view kOurs = "kernel.cc:";
  std::string log = evaluation.log;
  if (evaluation.verdict != Verdict::kCompileFailed) return log;
  for (std::size_t at = 0; (at = log.find(kOurs, at)) != std::string::npos;) {
    const bool is_word = at == 0 || log[at - 1] == '\n' || log[at - 1] == ' ';
    if (is_word) log.replace(at, kOurs.size(), file + ":");
    at += is_word ? file.size() : kOurs.size();
  }
  return log;
}

void Print(const Evaluation& evaluation, const std::string& file,
           const Task& task, Streams& streams) {
  const Statistic statistic = StatisticOf(task);
  streams.out << Name(evaluation.verdict);
  if (evaluation.breach != Breach::kNone) {
    streams.out << " (" << Name(evaluation.breach) << ")";
  }
  if (evaluation.verdict == Verdict::kPassed) {
    streams.out << (evaluation.tier == Tier::kFull
                        ? " (full tier)"
                        : " (fast tier; --full checks more)");
  }
  streams.out << "\n";
  if (evaluation.speedup) {
    streams.out << "speedup "
                << MeasuredText(*evaluation.speedup, task.protocol) << "\n";
  }
  if (evaluation.hint) {
    streams.out << "hint " << HintLine(*evaluation.hint) << "\n";
  }
  streams.out << LogText(LogOf(evaluation, file));
  if (MayBeCalledWrongly(evaluation) && task.root.language == Language::kCpp) {
    streams.out << "it is called as "
                << agents::CppSignature(task.definition, task.root.entry_symbol)
                << "\n";
  }
  if (evaluation.workloads.empty()) return;
  Table table({"workload", "verdict", Right(statistic.name),
               Right(std::string("root's ") + statistic.name),
               Right(kSpeedupTitle), Right("samples"), Right("error/allowed")});
  for (const WorkloadResult& result : evaluation.workloads) {
    const bool timed = !result.samples_s.empty();
    table.AddRow(
        {result.workload, std::string(Name(result.verdict)),
         timed ? engine::DurationText(statistic.of(result.samples_s)) : "",
         timed ? engine::DurationText(statistic.of(result.root_samples_s)) : "",
         timed ? WorkloadSpeedup(evaluation, result) : "",
         std::to_string(result.samples_s.size()),
         Formatted("%.3g", result.worst_error_ratio)});
  }
  table.Print(streams);
  if (const std::int64_t again = MadeAgain(evaluation); again > 0) {
    streams.out << BusyText(again, "these rounds") << "\n";
  }
  if (evaluation.profile.empty()) return;
  streams.out << Printable(PartsOf(evaluation.profile).limits) << "\n";
  const std::string_view loop = HotLoopOf(evaluation.profile);
  if (!loop.empty()) streams.out << Printable(loop) << "\n";
}

nlohmann::ordered_json ShapeJson(const std::optional<FailedShape>& failed) {
  if (!failed) return nullptr;
  nlohmann::ordered_json axes = nlohmann::ordered_json::object();
  for (const auto& [name, size] : failed->axes) axes[name] = size;
  return {{"axes", std::move(axes)}, {"shapes_seed", failed->seed}};
}

// The rule that a rejected candidate broke.
nlohmann::ordered_json RuleJson(const Evaluation& evaluation) {
  if (evaluation.breach == Breach::kNone) return nullptr;
  return Name(evaluation.breach);
}

void PrintJson(const Evaluation& evaluation, const Statistic& statistic,
               Streams& streams) {
  nlohmann::ordered_json workloads = nlohmann::ordered_json::array();
  for (const WorkloadResult& result : evaluation.workloads) {
    workloads.push_back({{"workload", result.workload},
                         {"verdict", Name(result.verdict)},
                         {"samples_s", result.samples_s},
                         {"root_samples_s", result.root_samples_s},
                         {"control_samples_s", result.control_samples_s},
                         {"discarded_samples", result.discarded_samples},
                         {"worst_error_ratio", result.worst_error_ratio},
                         {"calls_verified", result.calls_verified},
                         {"profile", ProfileJson(result.profile)}});
    if (result.samples_s.empty()) continue;
    workloads.back()["runtime_s"] = statistic.of(result.samples_s);
    workloads.back()["root_runtime_s"] = statistic.of(result.root_samples_s);
  }
  nlohmann::ordered_json document = {
      {"verdict", Name(evaluation.verdict)},
      {"tier", TierName(evaluation.tier)},
      {"rule", RuleJson(evaluation)},
      {"log", evaluation.log},
      {"failed_shape", ShapeJson(evaluation.failed_shape)},
      {"hint", HintJson(evaluation.hint)},
      {"compile_s", evaluation.compile_s},
      {"check_s", evaluation.check_s},
      {"timing_s", evaluation.timing_s},
      {"profile", evaluation.profile},
      {"statistic", statistic.name},
      {"workloads", workloads}};
  if (evaluation.runtime_s && evaluation.root_runtime_s) {
    document["runtime_s"] = *evaluation.runtime_s;
    document["root_runtime_s"] = *evaluation.root_runtime_s;
  }
  document.update(SpeedupJson(evaluation.speedup));
  if (!evaluation.device.empty()) document["device"] = evaluation.device;
  PrintDocument(document, streams.out);
}

Result<Candidate> ReadCandidate(const Invocation& invocation, const Task& task,
                                std::istream& in) {
  const bool has_file = invocation.arguments.size() > 1;
  const auto baseline = invocation.Text("baseline");
  if (baseline && invocation.Has("expert")) {
    return Fail(Errc::kUsage, "--baseline " + *baseline +
                                  ": is not judged together with --expert");
  }
  if (has_file && (baseline || invocation.Has("expert"))) {
    return Fail(Errc::kUsage, invocation.arguments[1] + ": --" +
                                  (baseline ? "baseline" : "expert") +
                                  " judges the task's own file");
  }
  if (baseline) {
    TRY(chosen, engine::ParseTorchBaseline(*baseline));
    return engine::CandidateOf(chosen, task);
  }
  if (invocation.Has("expert")) {
    if (auto expert = engine::ExpertOf(task)) return *std::move(expert);
    return Fail(Errc::kUsage,
                task.definition.name + ": has no expert solution to judge");
  }
  if (!has_file) {
    return Fail(Errc::kUsage, "missing FILE, or --expert, or --baseline");
  }
  return ReadKernel(invocation.arguments[1], task, in);
}

// Tools look at a kernel of the user's.
Result<void> CheckToolOptions(const Invocation& invocation,
                              const std::string& tool) {
  for (const char* other : {"expert", "baseline", "sanitize", "shapes-seed"}) {
    if (other == tool || !invocation.Has(other)) continue;
    return Fail(Errc::kUsage, "--" + tool + ": does not go with --" + other);
  }
  if (invocation.arguments.size() > 1) return {};
  return Fail(Errc::kUsage, "--" + tool + ": missing FILE");
}

Result<void> MustDrawShapes(const Task& task) {
  auto why = WhyShapesAreFixed(task);
  if (!why && task.protocol == Protocol::kBenchmark) {
    why = "its benchmark's protocol has none";
  }
  if (!why) return {};
  return Fail(Errc::kUsage, "--shapes-seed: " + task.definition.name +
                                " is judged on no other shapes: " + *why);
}

Result<Exit> RunEval(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("profile")) {
    TRY_DONE(CheckToolOptions(invocation, "profile"));
    return ProfileKernel(invocation, streams);
  }
  if (invocation.Has("sanitize")) {
    TRY_DONE(CheckToolOptions(invocation, "sanitize"));
    return SanitizeKernel(invocation, streams);
  }
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  const auto shapes_seed = invocation.Count("shapes-seed");
  if (shapes_seed) {
    factory->evaluators().DrawShapesBy(
        static_cast<std::uint64_t>(*shapes_seed));
  }
  TRY(task, factory->FindTask(invocation.arguments.at(0)));
  if (shapes_seed) TRY_DONE(MustDrawShapes(task));
  TRY(candidate, ReadCandidate(invocation, task, streams.in));
  if (invocation.Has("baseline") || invocation.Has("expert")) {
    task = engine::Trusting(task);
  }
  const auto listener = Listen(*factory, streams);
  TRY(evaluator, factory->EvaluatorFor(task));
  const bool is_full = invocation.Has("full") || shapes_seed;
  const Tier tier = is_full ? Tier::kFull : Tier::kFast;
  TRY(evaluation, evaluator->Evaluate(task, candidate, tier));
  if (invocation.Has("json")) {
    PrintJson(evaluation, StatisticOf(task), streams);
  } else {
    const auto& words = invocation.arguments;
    const bool has_name = words.size() > 1 && words[1] != "-";
    Print(evaluation, has_name ? words[1] : "kernel.cc", task, streams);
  }
  return evaluation.verdict == Verdict::kPassed ? Exit::kDone
                                                : Exit::kNoImprovement;
}

}  // namespace

Verb EvalVerb() {
  return {
      .name = "eval",
      .summary = "judge one kernel file; exit code 3 if it does not pass",
      .arguments = "TASK [FILE]",
      .examples =
          "  coppice eval gemm_square kernel.cc\n"
          "  coppice show best --source | coppice eval gemm_square - --full\n"
          "  coppice eval gemm_square kernel.cc --profile\n"
          "  coppice eval cuda_gemm_square kernel.cu --sanitize\n"
          "  coppice eval cuda_gemm_square --expert\n"
          "  coppice eval kernelbench:KernelBench/level1/19_ReLU.py "
          "--baseline compile\n"
          "  coppice eval fib:set/definitions/gemm/gemm_k8.json "
          "solution.json\n",
      .options = {{"expert", Takes::kNothing, "",
                   "what an expert wrote or calls, which the task comes with"},
                  {"baseline", Takes::kText, "eager|compile|max-autotune",
                   "what torch makes of it"},
                  {"full", Takes::kNothing, "",
                   "more calls and samples, other shapes, sanitizers"},
                  {"shapes-seed", Takes::kCount, "NUMBER",
                   "in full, on the other shapes that a log tells of"},
                  {"profile", Takes::kNothing, "",
                   "instead: what it asks of the machine"},
                  {"sanitize", Takes::kNothing, "",
                   "instead: what sanitizers find in it"},
                  {"json", Takes::kNothing, "", "as JSON, with all samples"}},
      .settings =
          config::NamesIn({config::Group::kThreads, config::Group::kTimeouts,
                           config::Group::kPython, config::Group::kDevices,
                           config::Group::kRules, config::Group::kDelegation,
                           config::Group::kData, config::Group::kCache}),
      .first = {"full", "profile", "sanitize", "expert", "json"},
      .run = RunEval,
  };
}

}  // namespace coppice::cli
