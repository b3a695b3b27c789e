// Runners without a device (fake_runner.cc), and what tests have them do.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eval/cuda/adversarial.h"
#include "eval/cuda/bench.h"
#include "eval/cuda/kernel_process.h"
#include "eval/cuda/runner_process.h"
#include "eval/cuda/runner_program.h"
#include "eval/formats/test_tasks.h"

namespace coppice::eval::cuda {

// x[4] into y[4]: of float32, beside a scalar.
inline Shapes FourToFour() {
  TensorShape input;
  input.name = "x";
  input.dims = {4};
  input.elements = 4;
  TensorShape scalar;
  scalar.name = "a";
  scalar.scalar = true;
  TensorShape output = input;
  output.name = "y";
  return {.inputs = {input, scalar}, .outputs = {output}, .varying_axes = {}};
}

class RunnerFixture : public testing::Test {
 protected:
  RunnerFixture() {
    std::string name = testing::TempDir() + "runner-XXXXXX";
    folder_ = std::filesystem::canonical(mkdtemp(name.data()));
    for (const char* file : {"nvidia0", "nvidiactl", "nvidia-uvm"}) {
      Write(file, "");
    }
    std::filesystem::create_directory(folder_ / "driver");
  }
  ~RunnerFixture() override { std::filesystem::remove_all(folder_); }

  // Anew: who has opened it before reads what it was.
  std::filesystem::path Write(const std::filesystem::path& name,
                              const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::filesystem::remove(folder_ / name);
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  // `script`: of its start.
  RunnerOptions Options(const std::string& script = "") const {
    return {.runner = COPPICE_FAKE_CUDA_RUNNER,
            .helpers = Write("helpers", script),
            .driver = folder_ / "driver",
            .libraries = {},
            .devices = folder_,
            .device = {}};
  }

  std::shared_ptr<RunnerProcess> Started(const std::string& script = "") const {
    auto started = RunnerProcess::Start(Options(script));
    EXPECT_TRUE(started) << started.error().what;
    const auto ready = (*started)->Ready();
    EXPECT_TRUE(ready) << ready.error().what;
    return std::move(*started);
  }

  RunnerProgram Program(const std::string& script,
                        Part part = Part::kDeviceCode) {
    RunnerProgram runner_program;
    runner_program.part = part;
    runner_program.code = Write("code" + std::to_string(codes_++), script);
    return runner_program;
  }

  // A process of one workload, FourToFour(), in two sets.
  Result<KernelProcess> OpenKernel(
      const std::shared_ptr<RunnerProcess>& process, const std::string& script,
      Part part = Part::kDeviceCode) {
    return KernelProcess::Open(process, 0, Program(script, part), FourToFour(),
                               2, {}, 10.0);
  }

  std::filesystem::path folder_;
  int codes_ = 0;
};

// Benches of CudaScaleTask(): x[1000] and the scalar a make y[1000].
class CudaBenchFixture : public RunnerFixture {
 protected:
  // With four sets and data sets.  Scripts are of oracle and root.
  CudaBenchOptions OptionsOf(const std::string& oracle,
                             const std::string& root) {
    return {.root = Program(root),
            .oracle = Program(oracle),
            .seed = 7,
            .adversarial = nullptr,
            .batch = 4};
  }

  Result<std::unique_ptr<CudaBench>> Open(CudaBenchOptions options) {
    trusted_ = {Started(), Started()};
    return CudaBench::Open(trusted_, std::move(options), task_,
                           task_.workloads[0]);
  }
  std::unique_ptr<CudaBench> Opened(const std::string& oracle = "",
                                    const std::string& root = "") {
    auto bench = Open(OptionsOf(oracle, root));
    EXPECT_TRUE(bench) << bench.error().what;
    return std::move(*bench);
  }

  Task task_ = CudaScaleTask();
  TrustedRunners trusted_;
};

}  // namespace coppice::eval::cuda
