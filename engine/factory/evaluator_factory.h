// Who judges: an evaluator for each kind of task on each device, made when it
// is first asked for, and kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/campaign/station.h"
#include "store/records/result.h"

namespace coppice {
struct Task;
}
namespace coppice::config {
struct Loaded;
struct Settings;
}  // namespace coppice::config
namespace coppice::eval {
struct Device;
class Evaluator;
struct MachineLoadOptions;
enum class Onlookers : std::uint8_t;
struct PythonEvaluatorOptions;
}  // namespace coppice::eval
namespace coppice::eval::torch {
class PrewarmedWorkers;
}

namespace coppice::engine {

class Outages;
class PatientEvaluator;

class EvaluatorFactory {
 public:
  // All outlives it.
  EvaluatorFactory(const config::Loaded& loaded, std::filesystem::path runner,
                   Outages& outages);
  ~EvaluatorFactory();

  // Both are valid as long as this, and judge on the first of the devices that
  // are chosen.  The patient one waits for room on a full disk.
  Result<eval::Evaluator*> EvaluatorFor(const Task& task);
  Result<eval::Evaluator*> PatientEvaluatorFor(const Task& task);

  // What a campaign has: a patient one for each device.
  Result<std::vector<Station>> StationsFor(const Task& task);

  // These hold for evaluators that are made after them.

  // They look at candidates, too.
  void Invite(eval::Onlookers onlookers) { onlookers_ = onlookers; }
  // Nothing is timed.
  void OnlyCheck() { checks_only_ = true; }
  // No profile says how a kernel's machine code looks, which takes longer to
  // find out than a small kernel to be timed.
  void LeaveOutCode() { tells_code_ = false; }
  // Evaluations end with kCancelled once it is set; it outlives this.
  void CancelBy(const std::atomic<bool>& cancelled) { cancelled_ = &cancelled; }
  // Shapes that no agent was shown are drawn again, as a log says.
  void DrawShapesBy(std::uint64_t seed) { shapes_seed_ = seed; }

  // For tasks in PyTorch, on the first of the devices that are chosen.
  Result<eval::PythonEvaluatorOptions> TorchOptions() const;

 private:
  eval::MachineLoadOptions WaitForQuiet() const;
  // The options that evaluators of all kinds have.
  template <class Options>
  Options WhatAllAreTold() const;
  // The chosen devices that a task is judged on; none: it needs no GPU, or has
  // the one that torch finds.
  Result<std::vector<eval::Device>> DevicesFor(const Task& task) const;
  Result<std::vector<eval::Device>> DevicesOfTorch() const;
  Result<eval::Evaluator*> EvaluatorOn(const Task& task,
                                       const std::optional<eval::Device>& gpu);
  Result<std::unique_ptr<eval::Evaluator>> MakeEvaluator(
      const Task& task, const std::optional<eval::Device>& gpu) const;
  Result<std::unique_ptr<eval::Evaluator>> MakeCpuEvaluator() const;
  Result<std::unique_ptr<eval::Evaluator>> MakeCudaEvaluator(
      const std::optional<eval::Device>& gpu) const;
  eval::Evaluator* Patient(eval::Evaluator& judge);
  Result<eval::PythonEvaluatorOptions> PythonOptions(
      const std::optional<eval::Device>& gpu) const;

  const config::Loaded& loaded_;
  const config::Settings& settings_;  // Of loaded_.
  const std::filesystem::path runner_;
  Outages& outages_;
  std::map<std::string, std::unique_ptr<eval::Evaluator>> evaluators_;
  // By whom they ask.
  std::map<eval::Evaluator*, std::unique_ptr<PatientEvaluator>> patient_;
  eval::Onlookers onlookers_{};
  bool checks_only_ = false;
  bool tells_code_ = true;
  const std::atomic<bool>* cancelled_ = nullptr;
  std::optional<std::uint64_t> shapes_seed_;
  // Holds processes of tasks that are described, and about to be judged.
  const std::shared_ptr<eval::torch::PrewarmedWorkers> prewarmed_workers_;
};

}  // namespace coppice::engine
