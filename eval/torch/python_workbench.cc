#include "eval/torch/python_workbench.h"

#include <utility>

#include "eval/host/machine.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/same_task.h"
#include "eval/torch/bench.h"
#include "eval/torch/extensions.h"
#include "eval/torch/jit_compile.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/tensor_memory.h"
#include "eval/torch/trusted_preload.h"
#include "eval/torch/worker_options.h"
#include "store/records/candidate.h"

namespace coppice::eval::torch {

namespace {

// Where no folder is named, it is one in /tmp.
PythonEvaluatorOptions WithCaches(PythonEvaluatorOptions options,
                                  const Interpreter& interpreter) {
  options.cache_directory =
      OptionsFor(options, interpreter, options.device).caches;
  return options;
}

}  // namespace

struct PythonWorkbench::Kept {
  Kept(PythonEvaluatorOptions given, Interpreter found, std::uint64_t secret)
      : options(WithCaches(std::move(given), found)),
        interpreter(std::move(found)),
        extensions({.interpreter = interpreter,
                    .scripts = options.scripts,
                    .cache_directory = options.cache_directory,
                    .cache_bytes = options.cache_bytes,
                    .timeout_s = options.load_timeout_s,
                    .cancelled = options.cancelled}),
        trusted_preload(options.cache_bytes),
        prewarmed_workers(options.prewarmed_workers
                              ? options.prewarmed_workers
                              : std::make_shared<PrewarmedWorkers>()),
        seed(secret) {}

  PythonEvaluatorOptions options;
  Interpreter interpreter;
  Extensions extensions;
  TrustedPreload trusted_preload;
  std::shared_ptr<PrewarmedWorkers> prewarmed_workers;
  std::uint64_t seed;
  std::unique_ptr<TorchBench> bench;
  std::string imports;  // Of its task's text.
};

PythonWorkbench::PythonWorkbench(PythonEvaluatorOptions options,
                                 Interpreter interpreter, std::uint64_t seed)
    : kept_(std::make_unique<Kept>(std::move(options), std::move(interpreter),
                                   seed)) {}

PythonWorkbench::~PythonWorkbench() = default;

const PythonEvaluatorOptions& PythonWorkbench::options() const {
  return kept_->options;
}

const Interpreter& PythonWorkbench::interpreter() const {
  return kept_->interpreter;
}

bool PythonWorkbench::IsOnDevice() const { return options().device != kHost; }

bool PythonWorkbench::IsTimed() const {
  return options().onlookers != Onlookers::kSanitizers &&
         !options().checks_only;
}

std::uint64_t PythonWorkbench::NextSeed() { return kept_->seed++; }

Result<void> PythonWorkbench::Prestart(const Task& task,
                                       const Candidate& candidate) {
  ImportFor(task);
  const std::size_t controls = !IsOnDevice() && IsTimed() ? 1 : 0;
  TRY_DONE(prewarmed_workers().Launch(Workers(), WorkerRole::kKernel,
                                      (HasAdopted(task) ? 1 : 2) + controls));
  if (ToolsOf(candidate.source, options().device).Any()) {
    TRY_DONE(trusted_preload().Begin(Workers()));
  }
  return NeedsBuilding(candidate.source)
             ? prewarmed_workers().Launch(Workers(), WorkerRole::kBuilder, 1)
             : Result<void>();
}

Result<void> PythonWorkbench::PrestartOne() {
  return prewarmed_workers().Launch(Workers(), WorkerRole::kKernel, 1);
}

void PythonWorkbench::ImportFor(const Task& task) {
  kept_->imports = ImportsOf(task.definition.reference);
}

WorkerOptions PythonWorkbench::Workers() {
  WorkerOptions workers =
      OptionsFor(options(), interpreter(), options().device);
  workers.extensions = &kept_->extensions;
  workers.trusted_preload = &kept_->trusted_preload;
  workers.imports = kept_->imports;
  return workers;
}

PrewarmedWorkers& PythonWorkbench::prewarmed_workers() {
  return *kept_->prewarmed_workers;
}

TrustedPreload& PythonWorkbench::trusted_preload() {
  return kept_->trusted_preload;
}

Result<StandbyWorker> PythonWorkbench::Take(WorkerRole role) {
  return prewarmed_workers().Take(Workers(), role);
}

bool PythonWorkbench::HasAdopted(const Task& task) const {
  return kept_->bench != nullptr && SameTask(kept_->bench->task(), task);
}

Result<bool> PythonWorkbench::Adopt(const Task& task) {
  if (HasAdopted(task)) return false;
  TRY_DONE(MustFit(task, options().device));
  ImportFor(task);
  kept_->bench.reset();
  // A root for which they cannot be made does without.
  if (ToolsOf(SourceOf(task.root), options().device).Any()) {
    TRY_DONE(trusted_preload().Make(Workers()));
  }
  TRY_ASSIGN(kept_->bench, TorchBench::Open(Workers(), prewarmed_workers(),
                                            task, NextSeed()));
  return true;
}

TorchBench& PythonWorkbench::bench() { return *kept_->bench; }

Result<void> PythonWorkbench::Reopen() {
  const Task task = bench().task();
  const std::size_t at = bench().CaseNumber();
  kept_->bench.reset();
  TRY_DONE(Adopt(task));
  TRY_DONE(bench().TurnTo(at));
  return bench().BringRoot();
}

Result<void> PythonWorkbench::TryCases() {
  for (std::size_t i = 0; i < bench().cases().size(); ++i) {
    TRY_DONE(bench().TurnTo(i));
    TRY_DONE(bench().BringRoot());
  }
  return {};
}

std::string PythonWorkbench::MachineIdentity() const {
  return kept_->bench->device_name().empty() ? ProcessorIdentity()
                                             : kept_->bench->Measured();
}

}  // namespace coppice::eval::torch
