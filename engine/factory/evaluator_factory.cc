#include "engine/factory/evaluator_factory.h"

#include <utility>

#include "config/load.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/patient_evaluator.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/process/installation.h"
#include "eval/host/devices.h"
#include "eval/host/machine_load.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/gpu_mode.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/trace_task.h"
#include "store/records/task.h"

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

bool IsCpu(const std::string& devices) { return devices.starts_with("cpu"); }

bool IsInPyTorch(const Task& task) {
  return task.format != TaskFormat::kNative;
}

std::optional<eval::Device> FirstOf(const std::vector<eval::Device>& devices) {
  return devices.empty() ? std::nullopt : std::optional(devices.front());
}

// The driver tells of devices, but none is visible.
bool HidesDevices() {
  const auto visible = eval::VisibleDevices();
  return !visible && visible.error().code == Errc::kNotFound;
}

std::uintmax_t CacheBytes(const config::Settings& settings) {
  return static_cast<std::uintmax_t>(settings.cache_limit_mb) * 1'000'000;
}

}  // namespace

EvaluatorFactory::EvaluatorFactory(const config::Loaded& loaded,
                                   fs::path runner, Outages& outages)
    : loaded_(loaded),
      settings_(loaded.settings),
      runner_(std::move(runner)),
      outages_(outages),
      prewarmed_workers_(std::make_shared<eval::torch::PrewarmedWorkers>()) {}

EvaluatorFactory::~EvaluatorFactory() = default;

eval::MachineLoadOptions EvaluatorFactory::WaitForQuiet() const {
  return {.most_s = settings_.quiet_wait_s,
          .waits =
              [this](const std::string& what) {
                return outages_.MeetNoise("this machine is not quiet: " + what,
                                          settings_.quiet_wait_s);
              },
          .goes_on = [this] { outages_.FindQuiet(); }};
}

template <class Options>
Options EvaluatorFactory::WhatAllAreTold() const {
  Options options;
  options.cache_directory = settings_.cache_directory;
  options.cache_bytes = CacheBytes(settings_);
  options.call_timeout_s = settings_.call_timeout_s;
  options.quiet = WaitForQuiet();
  options.onlookers = onlookers_;
  options.checks_only = checks_only_;
  options.cancelled = cancelled_;
  options.shapes_seed = shapes_seed_;
  return options;
}

Result<eval::PythonEvaluatorOptions> EvaluatorFactory::PythonOptions(
    const std::optional<eval::Device>& gpu) const {
  auto options = WhatAllAreTold<eval::PythonEvaluatorOptions>();
  const fs::path here = runner_.parent_path();
  options.scripts = here / "coppice-python";
  options.threads = static_cast<int>(settings_.threads);
  options.load_timeout_s = settings_.compile_timeout_s;
  // What the user said holds for any task.
  options.load_limit_grows = !config::IsGiven(loaded_, "compile_timeout_s");
  options.call_limit_grows = !config::IsGiven(loaded_, "call_timeout_s");
  options.python = PythonFor(settings_.python, runner_);
  // With "auto" a torch that can use no GPU takes none.
  options.device = settings_.devices;
  if (gpu && options.device != "auto") options.device = "cuda:0";
  if (!gpu && HidesDevices()) options.device = "cpu";
  options.gpu = gpu;
  TRY(devices, DevicesOfTorch());
  if (!gpu || gpu->uuid == devices.front().uuid)
    options.prewarmed_workers = prewarmed_workers_;
  return options;
}

Result<eval::PythonEvaluatorOptions> EvaluatorFactory::TorchOptions() const {
  TRY(devices, DevicesOfTorch());
  return PythonOptions(FirstOf(devices));
}

// It is the user's error that a C++ kernel runs on no GPU only if he asked for
// one.
Result<std::vector<eval::Device>> EvaluatorFactory::DevicesFor(
    const Task& task) const {
  const std::string& wanted = settings_.devices;
  const auto refuse = [&](const std::string& why) {
    return Fail(Errc::kUsage,
                "--devices " + wanted + ": " + task.definition.name + why);
  };
  if (IsInPyTorch(task)) return DevicesOfTorch();
  if (task.root.language == Language::kCuda) {
    if (IsCpu(wanted)) return refuse(" is CUDA C++, which runs on a GPU");
    TRY(visible, eval::VisibleDevices());
    return eval::ChooseDevices(visible, wanted);
  }
  if (wanted != "auto" && !IsCpu(wanted) &&
      config::SaidBy(loaded_, "devices") == "--devices") {
    return refuse(" runs on no GPU");
  }
  return std::vector<eval::Device>{};
}

// Where nothing is said, those without a driver that tells of devices do as
// torch finds.
Result<std::vector<eval::Device>> EvaluatorFactory::DevicesOfTorch() const {
  if (IsCpu(settings_.devices)) return std::vector<eval::Device>{};
  auto visible = eval::VisibleDevices();
  if (visible) return eval::ChooseDevices(*visible, settings_.devices);
  if (settings_.devices == "auto") return std::vector<eval::Device>{};
  return Fail(visible.error().code,
              "--devices " + settings_.devices + ": " + visible.error().what);
}

Result<std::unique_ptr<eval::Evaluator>> EvaluatorFactory::MakeCpuEvaluator()
    const {
  auto options = WhatAllAreTold<eval::CpuEvaluatorOptions>();
  options.runner = runner_;
  options.tells_code = tells_code_;
  options.threads = static_cast<int>(settings_.threads);
  options.compile_timeout_s = settings_.compile_timeout_s;
  return eval::MakeCpuEvaluator(std::move(options));
}

Result<std::unique_ptr<eval::Evaluator>> EvaluatorFactory::MakeCudaEvaluator(
    const std::optional<eval::Device>& gpu) const {
  auto options = WhatAllAreTold<eval::CudaEvaluatorOptions>();
  options.runner = runner_.parent_path() / "coppice-cuda-runner";
  options.nvrtc = runner_.parent_path() / "coppice-nvrtc";
  options.device_uuid = gpu ? gpu->uuid : "";
  options.compile_timeout_s = settings_.compile_timeout_s;
  return eval::MakeCudaEvaluator(std::move(options));
}

Result<std::unique_ptr<eval::Evaluator>> EvaluatorFactory::MakeEvaluator(
    const Task& task, const std::optional<eval::Device>& gpu) const {
  if (task.root.language == Language::kSim) {
    return LandscapeTasks(settings_.data_directory).MakeEvaluator(task);
  }
  if (IsInPyTorch(task)) {
    TRY(options, PythonOptions(gpu));
    const auto make =
        task.format == TaskFormat::kKernelBench ? eval::MakePythonEvaluator
        : task.format == TaskFormat::kGpuMode   ? eval::MakeGpuModeEvaluator
                                                : eval::MakeTraceSetEvaluator;
    return make(std::move(options));
  }
  if (task.root.language == Language::kCpp) return MakeCpuEvaluator();
  if (task.root.language == Language::kCuda) return MakeCudaEvaluator(gpu);
  return Fail(Errc::kUnavailable, task.definition.name +
                                      ": only C++, CUDA C++ and tasks in "
                                      "PyTorch can be judged");
}

Result<eval::Evaluator*> EvaluatorFactory::EvaluatorOn(
    const Task& task, const std::optional<eval::Device>& gpu) {
  const bool is_simulated = task.root.language == Language::kSim;
  const auto format = static_cast<int>(task.format);
  const auto language = static_cast<int>(task.root.language);
  const std::string kind =
      is_simulated ? task.definition.name
                   : std::to_string(format) + " " + std::to_string(language);
  auto& evaluator = evaluators_[kind + " " + (gpu ? gpu->uuid : "")];
  if (evaluator == nullptr) {
    TRY_ASSIGN(evaluator, MakeEvaluator(task, gpu));
  }
  return evaluator.get();
}

Result<eval::Evaluator*> EvaluatorFactory::EvaluatorFor(const Task& task) {
  TRY(devices, DevicesFor(task));
  return EvaluatorOn(task, FirstOf(devices));
}

eval::Evaluator* EvaluatorFactory::Patient(eval::Evaluator& judge) {
  auto& patient = patient_[&judge];
  if (patient == nullptr) {
    patient = std::make_unique<PatientEvaluator>(judge, outages_);
  }
  return patient.get();
}

Result<eval::Evaluator*> EvaluatorFactory::PatientEvaluatorFor(
    const Task& task) {
  TRY(judge, EvaluatorFor(task));
  return Patient(*judge);
}

Result<std::vector<Station>> EvaluatorFactory::StationsFor(const Task& task) {
  TRY(devices, DevicesFor(task));
  std::vector<Station> stations;
  for (const eval::Device& device : devices) {
    TRY(judge, EvaluatorOn(task, device));
    stations.push_back({Patient(*judge), device.uuid});
  }
  if (devices.empty()) {
    TRY(judge, EvaluatorOn(task, std::nullopt));
    stations.push_back({Patient(*judge), ""});
  }
  return stations;
}

}  // namespace coppice::engine
