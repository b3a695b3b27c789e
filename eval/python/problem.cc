#include "eval/python/problem.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace coppice::eval::python {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kDescriptionSeed = 1;  // Any: shapes alone are told.

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

// "get_inputs(): did not return within 30 s; ...".
std::string Complaint(RequestKind kind, const Reaction& reaction) {
  if (reaction.verdict != Verdict::kTimedOut) return reaction.log;
  const char* what =
      kind == RequestKind::kConstruct  ? "get_init_inputs() and Model(): "
      : kind == RequestKind::kDescribe ? "get_inputs() and Model.forward: "
      : kind == RequestKind::kDraw     ? "get_inputs(): "
                                       : "";
  return what + reaction.log + "; --compile-timeout-s allows more";
}

Solution RootOf(const std::string& name, std::string source) {
  Solution root;
  root.name = name + "_root";
  root.definition = name;
  root.author = "baseline";
  root.language = Language::kPython;
  root.target_hardware = {"cpu", "cuda"};
  root.entry_file = "model_new.py";
  root.entry_symbol = "ModelNew";
  root.sources = {{root.entry_file, std::move(source)}};
  return root;
}

Task TaskFrom(const Json& description, const ProblemOptions& options) {
  Task task;
  task.format = TaskFormat::kKernelBench;
  task.protocol = options.protocol;
  Definition& definition = task.definition;
  definition.name = options.name;
  definition.op_type = "kernelbench";
  definition.reference = options.source;
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
  task.root = RootOf(options.name, description.at("root"));
  task.oracle.language = Language::kPython;
  return task;
}

}  // namespace

Result<std::string> Problem::Ask(Request request, const std::string& order) {
  TRY(reaction, worker_->Ask(request, order));
  if (reaction.verdict == Verdict::kPassed) return worker_->Text();
  return Fail(Errc::kUsage,
              options_.name + ": " + Complaint(request.kind, reaction));
}

Result<std::unique_ptr<Problem>> Problem::Open(const WorkerOptions& worker,
                                               ProblemOptions options) {
  TRY(launched, Worker::Launch(worker, Role::kProblem));
  TRY_DONE(launched->Ready());
  std::unique_ptr<Problem> problem(
      new Problem(std::move(launched), worker.device, std::move(options)));
  const ProblemOptions& own = problem->options_;
  TRY_DONE(problem->Ask(
      {.kind = RequestKind::kLoad},
      Dump({{"source", own.source},
            {"precision", static_cast<int>(own.precision)},
            {"casts_all", own.protocol == Protocol::kBenchmark}})));
  TRY(init, problem->Ask({.kind = RequestKind::kConstruct, .seed = own.seed}));
  problem->init_ = std::move(init);
  return problem;
}

Result<Task> Problem::Describe() {
  TRY(text, Ask({.kind = RequestKind::kDescribe, .seed = kDescriptionSeed},
                Dump({{"source", options_.source}, {"device", device_}})));
  const Json description = Json::parse(text, nullptr, false);
  if (!description.is_object()) {
    return Fail(Errc::kUnavailable, options_.name + ": cannot be described");
  }
  return TaskFrom(description, options_);
}

Result<void> Problem::Draw(std::uint64_t seed) {
  return Ask({.kind = RequestKind::kDraw, .seed = seed}).map([](const auto&) {
  });
}

Result<State> Problem::ReadState() {
  State state;
  TRY(names, Ask({.kind = RequestKind::kState}));
  state.names = std::move(names);
  state.entries = worker_->Tensors();
  TRY(values, InputSlots::Create(state.entries, 1));
  TRY_DONE(values.Fill(0, *worker_));
  state.values = std::make_unique<InputSlots>(std::move(values));
  return state;
}

Result<Reaction> Problem::Ruling(const std::string& order) {
  TRY(text, Ask({.kind = RequestKind::kCheck}, order));
  const Json found = Json::parse(text, nullptr, false);
  Reaction reaction;
  reaction.verdict =
      ParseVerdict(found.value("verdict", "")).value_or(Verdict::kInconclusive);
  reaction.log = found.value("log", "");
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
  Json names = Json::parse(operations, nullptr, false);
  const bool is_list =
      names.is_array() &&
      std::ranges::all_of(names, [](const Json& n) { return n.is_string(); });
  if (!is_list) names = Json::array();
  return Ruling(
      Dump({{"operations", names}, {"delegation", RuleName(delegation)}}));
}

Result<std::vector<std::uint64_t>> Problem::TrialSeeds(std::uint64_t seed,
                                                       std::size_t count) {
  TRY(text,
      Ask({.kind = RequestKind::kTrialSeeds, .seed = seed, .argument = count}));
  return Json::parse(text).get<std::vector<std::uint64_t>>();
}

}  // namespace coppice::eval::python
