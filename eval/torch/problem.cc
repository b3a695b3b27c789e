#include "eval/torch/problem.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "eval/judge/call_channel.h"
#include "eval/judge/compare.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/tensor_memory.h"
#include "eval/torch/verdicts.h"

namespace coppice::eval::torch {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kDescriptionSeed = 1;  // Any: shapes alone are told.
constexpr std::uint64_t kKeptBytes = std::uint64_t{24}
                                     << 30;  // For several sets.

std::string Dump(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Constant axes by their sizes: n64 is 64.
TensorSpec ReadTensor(const Json& described, const std::string& name,
                      std::set<std::int64_t>& sizes) {
  TensorSpec tensor{.name = name,
                    .shape = {},
                    .dtype = static_cast<DType>(described.at("dtype")),
                    .description = {}};
  if (described.at("shape").is_null()) return tensor;
  tensor.shape.emplace();
  for (const auto& size : described.at("shape")) {
    sizes.insert(size.get<std::int64_t>());
    tensor.shape->push_back("n" + std::to_string(size.get<std::int64_t>()));
  }
  return tensor;
}

// No two tensors have one name.
std::string Unused(std::string name, std::set<std::string>& used) {
  while (!used.insert(name).second) name += "_";
  return name;
}

const char* RuleName(Delegation delegation) {
  constexpr const char* kNames[] = {"any", "no_vendor_op", "own_kernels"};
  return kNames[static_cast<std::size_t>(delegation)];
}

// Where limits grow with a problem: so many times as long as its Model a call
// of anybody's may take, so many times as long as drawing and calling whatever
// is done with it, and before that is known so many times the limit that is
// set.
constexpr double kCallGrowth = 20.0;
constexpr double kWorkGrowth = 50.0;
constexpr double kUnmeasuredGrowth = 10.0;

double AtLeast(double limit_s, double grown_s) {
  return std::max(limit_s, std::ceil(grown_s));
}

// "get_inputs(): ", for a complaint about a request that did not return.
const char* WhatIsCalled(WorkerRequestKind kind) {
  switch (kind) {
    case WorkerRequestKind::kConstruct:
      return "get_init_inputs() and Model(): ";
    case WorkerRequestKind::kDraw:
      return "get_inputs(): ";
    case WorkerRequestKind::kDescribe:
    case WorkerRequestKind::kRepeat:
      return "get_inputs() and Model.forward: ";
    case WorkerRequestKind::kSpoil:
      return "null candidates: ";
    default:
      return "";
  }
}

bool IsForWantOfMemory(const Reaction& reaction) {
  return reaction.log.ends_with("out of memory") ||
         reaction.log.find("no memory left") != std::string::npos;
}

Task TaskFrom(const Json& description, const ProblemOptions& options) {
  Task task;
  task.format = TaskFormat::kKernelBench;
  task.protocol = options.protocol;
  Definition& definition = task.definition;
  definition.name = options.name;
  definition.op_type = "kernelbench";
  definition.reference = options.source;
  if (description.contains("closeness")) {
    const Json& own = description.at("closeness");
    AddCloseness({own.at("relative"), own.at("absolute")}, definition);
  }
  const std::string words = description.at("description");
  if (!words.empty()) definition.description = words;
  std::set<std::int64_t> sizes;
  std::set<std::string> names;
  for (const auto& input : description.at("inputs")) {
    definition.inputs.push_back(
        ReadTensor(input, Unused(input.at("name"), names), sizes));
  }
  const auto& outputs = description.at("outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string name =
        outputs.size() == 1 ? "output" : "output" + std::to_string(i + 1);
    definition.outputs.push_back(
        ReadTensor(outputs[i], Unused(name, names), sizes));
  }
  for (const std::int64_t size : sizes) {
    definition.axes.push_back({.name = "n" + std::to_string(size),
                               .constant = size,
                               .description = {}});
  }
  Workload workload{.uuid = options.name, .axes = {}, .inputs = {}};
  for (const TensorSpec& input : definition.inputs) {
    workload.inputs.emplace_back(input.name, RandomInput{});
  }
  task.workloads = {std::move(workload)};
  task.root =
      RootOf(options.name, "model_new.py", "ModelNew", description.at("root"));
  task.oracle.language = Language::kPython;
  return task;
}

std::string Order(const Rule& rule) {
  Json tolerances = Json::array();  // By type.
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    tolerances.push_back(ToleranceFor(static_cast<DType>(i), rule));
  }
  Json matching;
  if (rule.matching) {
    matching = {{"least", rule.matching->least},
                {"absolute", rule.matching->absolute},
                {"relative", rule.matching->relative}};
  }
  const std::optional<Closeness>& own = rule.closeness;
  return Dump({{"is_exact", rule.protocol == Protocol::kBenchmark},
               {"scale", own ? Json(own->absolute / own->relative) : Json()},
               {"matching", std::move(matching)},
               {"tolerances", std::move(tolerances)}});
}

// Writes a number as Python does: "inf" and "nan", too.
double Number(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

void Raise(double& most, const std::string& text) {
  most = std::max(most, Number(text));
}

}  // namespace

Result<std::string> Problem::Ask(WorkerRequest request,
                                 const std::string& order, int descriptor) {
  if (limits_.load_grows && request.kind != WorkerRequestKind::kLoad) {
    worker_->LimitLoading(
        measured_s_ ? AtLeast(limits_.load_s, kWorkGrowth * *measured_s_)
                    : kUnmeasuredGrowth * limits_.load_s);
  }
  TRY(reaction, worker_->Ask(request, order, descriptor));
  const bool is_measure = request.kind == WorkerRequestKind::kDescribe ||
                          request.kind == WorkerRequestKind::kRepeat;
  if (is_measure) {
    measured_s_ = std::max(measured_s_.value_or(0.0), reaction.wall_s);
  }
  return Said(request.kind, reaction);
}

double Problem::CallLimit() const {
  if (!limits_.call_grows) return limits_.call_s;
  return AtLeast(limits_.call_s, kCallGrowth * call_s_);
}

Result<std::string> Problem::Said(WorkerRequestKind kind,
                                  const Reaction& reaction) {
  if (reaction.verdict == Verdict::kPassed) return worker_->Text();
  const bool is_silent = reaction.verdict == Verdict::kTimedOut;
  return tl::unexpected<Error>(UnusableFor(options_.name,
                                           is_silent ? WhatIsCalled(kind) : "",
                                           reaction, "compile-timeout-s"));
}

std::string NullsOrder(const Rule& rule) {
  return Dump({{"rule", Json::parse(Order(rule))},
               {"has_variants", rule.protocol == Protocol::kCoppice}});
}

Error UnusableFor(const std::string& task, const std::string& what,
                  const Reaction& reaction, const char* more_time) {
  constexpr const char* kSmaller =
      "a copy of its file with smaller sizes needs less";
  std::string text = task + ": " + what + reaction.log;
  if (reaction.verdict == Verdict::kTimedOut) {
    return {Errc::kUnfit,
            text + "; --" + more_time + " allows more, and " + kSmaller};
  }
  if (IsForWantOfMemory(reaction)) {
    return {Errc::kUnfit, text + "; " + kSmaller};
  }
  return {Errc::kUsage, std::move(text)};
}

Result<Task> TaskOf(const std::string& text, const ProblemOptions& options) {
  const Json description = Json::parse(text, nullptr, false);
  if (!description.is_object()) {
    return Fail(Errc::kUnavailable, options.name + ": cannot be described");
  }
  if (description.contains("input_bytes")) {
    return tl::unexpected<Error>(
        TooLarge(options.name, "inputs", description.at("input_bytes")));
  }
  return TaskFrom(description, options);
}

Judgement JudgementOf(const std::string& text,
                      const std::vector<Returned>& expected) {
  const Json found = Json::parse(text);
  Judgement judgement;
  if (found.at("changed_input")) {
    static_cast<Outcome&>(judgement) =
        Rejected(Breach::kWroteInput, "it changed an input");
    return judgement;
  }
  const Json& findings = found.at("findings");
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Json& finding = findings[i];
    const std::size_t output = i % expected.size();
    if (judgement.verdict == Verdict::kPassed && finding.at("wrong") > 0) {
      const Judgement differing =
          Differing({.element = finding.at("element"),
                     .got = Number(finding.at("got")),
                     .expected = Number(finding.at("expected")),
                     .allowed = Number(finding.at("allowed")),
                     .wrong = finding.at("wrong")},
                    expected[output], output, expected.size());
      judgement.verdict = differing.verdict;
      judgement.log = differing.log;
    }
    Raise(judgement.worst_error_ratio, finding.at("worst_error_ratio"));
    Raise(judgement.max_absolute_error, finding.at("max_absolute_error"));
    Raise(judgement.max_relative_error, finding.at("max_relative_error"));
  }
  return judgement;
}

Result<std::unique_ptr<Problem>> Problem::Open(const WorkerOptions& worker,
                                               ProblemOptions options) {
  TRY(launched, Worker::Launch(worker, WorkerRole::kProblem));
  TRY_DONE(launched->Ready());
  std::unique_ptr<Problem> problem(
      new Problem(std::move(launched), worker, std::move(options)));
  const ProblemOptions& own = problem->options_;
  TRY_DONE(problem->Ask(
      {.kind = WorkerRequestKind::kLoad},
      Dump({{"source", own.source},
            {"precision", static_cast<int>(own.precision)},
            {"device", worker.device},
            {"casts_all", own.protocol == Protocol::kBenchmark}})));
  TRY_DONE(problem->Reconstruct(own.name, own.seed, own.number));
  return problem;
}

bool Problem::IsOf(const WorkerOptions& worker,
                   const ProblemOptions& wanted) const {
  return stored_ == worker.stored && options_.source == wanted.source &&
         options_.protocol == wanted.protocol &&
         options_.precision == wanted.precision;
}

Result<void> Problem::Reconstruct(const std::string& name, std::uint64_t seed,
                                  std::uint64_t number) {
  options_.name = name;
  options_.seed = seed;
  options_.number = number;
  TRY_ASSIGN(init_, Ask({.kind = WorkerRequestKind::kConstruct,
                         .seed = seed,
                         .argument = number}));
  return {};
}

Result<Task> Problem::Describe() {
  std::uint64_t seed = kDescriptionSeed;
  if (options_.protocol == Protocol::kBenchmark) {
    TRY(seeds, TrialSeeds(kBenchmarkSeed, 1));
    seed = seeds.front();  // Drawn anyway.
  }
  const Json order = {{"source", options_.source},
                      {"most_input_bytes", MostTensorBytes(device_)}};
  TRY(text,
      Ask({.kind = WorkerRequestKind::kDescribe, .seed = seed}, Dump(order)));
  return TaskOf(text, options_);
}

Result<void> Problem::Do(const WorkerRequest& request) {
  return Ask(request).map([](const std::string&) {});
}

Result<void> Problem::Draw(std::uint64_t seed, std::uint32_t set,
                           std::uint32_t variant) {
  return Do({.kind = WorkerRequestKind::kDraw,
             .slot = set,
             .seed = seed,
             .argument = variant});
}

Result<void> Problem::DrawOnHost(std::uint64_t seed) {
  return Do({.kind = WorkerRequestKind::kHand, .seed = seed});
}

Result<std::vector<Variant>> Problem::Variants(std::uint64_t seed,
                                               const Rule& rule) {
  TRY(text, Ask({.kind = WorkerRequestKind::kVariants, .seed = seed},
                Dump({{"rule", Json::parse(Order(rule))}})));
  std::vector<Variant> variants;
  for (const Json& one : Json::parse(text)) {
    variants.push_back({one.at(0), one.at(1)});
  }
  return variants;
}

Result<void> Problem::MustRepeat(std::uint64_t seed, const Rule& rule) {
  TRY(text,
      Ask({.kind = WorkerRequestKind::kRepeat, .seed = seed}, Order(rule)));
  call_s_ = std::max(call_s_, Json::parse(text).at("call_s").get<double>());
  return {};
}

Result<Writing> Problem::MeasureWriting(std::uint64_t seed) {
  TRY(text, Ask({.kind = WorkerRequestKind::kGround, .seed = seed}));
  const Json found = Json::parse(text);
  return Writing{.bytes = found.at("bytes"),
                 .bytes_per_s = found.value("bytes_per_s", 0.0),
                 .cache_bytes = found.value("cache_bytes", 0.0)};
}

Result<std::vector<SharedLayout>> Problem::Keep(std::uint32_t most_sets,
                                                std::size_t sides,
                                                std::uint64_t seed) {
  TRY(text,
      Ask({.kind = WorkerRequestKind::kKeep, .seed = seed, .argument = sides},
          Dump({{"memory_bytes", kKeptBytes}, {"most_sets", most_sets}})));
  std::vector<SharedLayout> layouts;
  for (const Json& order : Json::parse(text)) {
    SharedLayout& layout = layouts.emplace_back();
    layout.order = order.dump();
    layout.sets = order.at("sets");
    layout.memory = worker_->Fetch(order.at("descriptor"));
    if (!layout.memory.valid()) {
      return Fail(Errc::kUnavailable,
                  std::string("pidfd_getfd: ") + std::strerror(errno) +
                      "; kernel.yama.ptrace_scope must be 0 or 1");
    }
  }
  return layouts;
}

Result<void> Problem::Stage(std::size_t side, std::uint32_t sets) {
  return Do({.kind = WorkerRequestKind::kStage,
             .slot = static_cast<std::uint32_t>(side),
             .argument = sets});
}

void Problem::AwaitOutputs(std::size_t side, std::uint32_t sets) {
  worker_->Begin({.kind = WorkerRequestKind::kTake,
                  .slot = static_cast<std::uint32_t>(side),
                  .argument = sets});
}

Result<Taken> Problem::EndTaking(const Giver& giver) {
  TRY(reaction, worker_->Answer(giver));
  worker_->End(reaction);
  TRY(text, Said(WorkerRequestKind::kTake, reaction));
  const Json found = Json::parse(text);
  return Taken{.was_there = found.at("was_there"),
               .attached = found.at("attached"),
               .reuses = found.at("reuses")};
}

Result<double> Problem::DeviceContention(double seconds) {
  TRY(text, Ask({.kind = WorkerRequestKind::kCrowding,
                 .argument = static_cast<std::uint64_t>(1e6 * seconds)}));
  return Json::parse(text).at("times").get<double>();
}

Result<void> Problem::Watch(std::size_t side, int notes) {
  return Ask({.kind = WorkerRequestKind::kWatch,
              .slot = static_cast<std::uint32_t>(side)},
             "", notes)
      .map([](const std::string&) {});
}

Result<Judgement> Problem::Judge(std::uint32_t sets,
                                 const std::vector<Returned>& expected,
                                 const Rule& rule) {
  TRY(text,
      Ask({.kind = WorkerRequestKind::kJudge, .argument = sets}, Order(rule)));
  return JudgementOf(text, expected);
}

Result<std::string> Problem::JudgeNulls(const std::string& order,
                                        std::uint64_t seed) {
  return Ask({.kind = WorkerRequestKind::kSpoil, .seed = seed}, order);
}

Result<State> Problem::ReadState() {
  State state;
  TRY_ASSIGN(state.names, Ask({.kind = WorkerRequestKind::kState}));
  state.entries = worker_->Tensors();
  TRY(values, InputSlots::Create(state.entries, 1));
  TRY_DONE(values.Fill(0, *worker_));
  state.values = std::make_unique<InputSlots>(std::move(values));
  return state;
}

Result<Reaction> Problem::Ruling(const std::string& order) {
  TRY(text, Ask({.kind = WorkerRequestKind::kCheck}, order));
  const Json found = Json::parse(text, nullptr, false);
  Reaction reaction;
  reaction.verdict =
      ParseVerdict(found.value("verdict", "")).value_or(Verdict::kInconclusive);
  reaction.log = found.value("log", "");
  if (reaction.verdict == Verdict::kRejected) {
    reaction.breach = Breach::kDelegated;
  }
  return reaction;
}

Result<Reaction> Problem::Check(const std::string& source,
                                const std::string& entry,
                                Delegation delegation) {
  return Ruling(Dump({{"source", source},
                      {"entry", entry},
                      {"delegation", RuleName(delegation)}}));
}

Result<Reaction> Problem::CheckOperations(const std::string& operations,
                                          Delegation delegation) {
  const Json names = Json::parse(operations, nullptr, false);
  const bool is_list =
      names.is_array() &&
      std::ranges::all_of(names, [](const Json& n) { return n.is_string(); });
  if (!is_list) {
    return Reaction{
        {Rejected(Breach::kForgedAnswer,
                  "it spoke in the worker's name: no list of what it calls")}};
  }
  return Ruling(
      Dump({{"operations", names}, {"delegation", RuleName(delegation)}}));
}

Result<std::vector<std::uint64_t>> Problem::TrialSeeds(std::uint64_t seed,
                                                       std::size_t count) {
  TRY(text, Ask({.kind = WorkerRequestKind::kTrialSeeds,
                 .seed = seed,
                 .argument = count}));
  return Json::parse(text).get<std::vector<std::uint64_t>>();
}

Solution RootOf(const std::string& name, const std::string& file,
                const std::string& entry, std::string source) {
  Solution root;
  root.name = name + "_root";
  root.definition = name;
  root.author = "baseline";
  root.language = Language::kPython;
  root.target_hardware = {"cpu", "cuda"};
  root.entry_file = file;
  root.entry_symbol = entry;
  root.sources = {{file, std::move(source)}};
  return root;
}

}  // namespace coppice::eval::torch
