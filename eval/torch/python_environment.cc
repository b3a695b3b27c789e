#include "eval/torch/python_environment.h"

#include <optional>
#include <utility>

#include "eval/host/machine.h"
#include "eval/host/processor_facts.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/bench.h"
#include "eval/torch/device.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/python_workbench.h"
#include "store/records/evaluation.h"

namespace coppice::eval::torch {
namespace {

Environment Describe(const PythonWorkbench& workbench) {
  const PythonEvaluatorOptions& options = workbench.options();
  const Interpreter& interpreter = workbench.interpreter();
  Environment environment = {.hardware = ProcessorName(),
                             .threads = options.threads,
                             .system = SystemName(),
                             .driver = "",
                             .facts = ProcessorFacts(options.threads),
                             .compiler = "Python " + interpreter.version,
                             .flags = options.device,
                             .libraries = {{"torch", interpreter.torch}}};
  // They compile for no processor.
  for (const auto& [name, version] : {std::pair("triton", interpreter.triton),
                                      std::pair("nvcc", interpreter.nvcc)}) {
    if (version.empty() || !workbench.IsOnDevice()) continue;
    environment.libraries.emplace_back(name, version);
  }
  return environment;
}

// `teller` knows the device: a kernel worker, a bench.
template <typename Teller>
void TellDevice(const Teller& teller, Environment& environment) {
  environment.hardware = teller.device_name();
  environment.facts = FactsOnDevice(teller.architecture(), environment.facts);
}

}  // namespace

Result<Environment> EnvironmentOf(PythonWorkbench& workbench) {
  TRY(one, workbench.Take(WorkerRole::kKernel));
  Environment environment = Describe(workbench);
  if (!one.kernel_worker->device_name().empty()) {
    TellDevice(*one.kernel_worker, environment);
  }
  workbench.prewarmed_workers().Return(std::move(one));
  return environment;
}

Result<std::string> HardwareOf(PythonWorkbench& workbench) {
  if (IsCpu(workbench.options().device)) return ProcessorName();
  TRY(environment, EnvironmentOf(workbench));
  return environment.hardware;
}

void EnterPlace(PythonWorkbench& workbench, Evaluation& evaluation) {
  evaluation.environment = Describe(workbench);
  const TorchBench& bench = workbench.bench();
  if (bench.device_name().empty()) return;
  TellDevice(bench, evaluation.environment);
  const std::optional<Device>& gpu = workbench.options().gpu;
  if (gpu) evaluation.device = gpu->uuid;
}

}  // namespace coppice::eval::torch
