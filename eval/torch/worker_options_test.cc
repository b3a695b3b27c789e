#include "eval/torch/worker_options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "eval/judge/evaluators.h"
#include "eval/torch/worker.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

PythonEvaluatorOptions Asked() {
  PythonEvaluatorOptions options;
  options.scripts = "scripts";
  options.cache_directory = "caches";
  options.gpu.emplace().uuid = "GPU-1";
  options.threads = 3;
  options.load_timeout_s = 7.0;
  options.call_timeout_s = 5.0;
  options.call_limit_grows = true;
  return options;
}

TEST(WorkerOptionsTest, AreTakenFromTheEvaluatorsOptions) {
  Interpreter interpreter;
  interpreter.version = "3.9";
  const WorkerOptions workers = OptionsFor(Asked(), interpreter, "cpu");
  EXPECT_EQ(workers.interpreter.version, "3.9");
  EXPECT_EQ(workers.device, "cpu");
  EXPECT_EQ(workers.threads, 3);
  EXPECT_EQ(workers.limits.load_s, 7.0);
  EXPECT_EQ(workers.limits.call_s, 5.0);
  EXPECT_FALSE(workers.limits.load_grows);
  EXPECT_TRUE(workers.limits.call_grows);
  EXPECT_EQ(workers.cancelled, nullptr);
}

TEST(WorkerOptionsTest, PathsNeedNoWorkingDirectory) {
  const WorkerOptions workers = OptionsFor(Asked(), {}, "cpu");
  EXPECT_EQ(workers.scripts, fs::current_path() / "scripts");
  EXPECT_EQ(workers.caches, fs::current_path() / "caches");
  PythonEvaluatorOptions without = Asked();
  without.cache_directory.clear();
  EXPECT_EQ(
      OptionsFor(without, {}, "cpu").caches,
      fs::temp_directory_path() / ("coppice-" + std::to_string(getuid())));
}

// A driver reserves more addresses than there is memory.
TEST(WorkerOptionsTest, OnADeviceMemoryHasNoLimit) {
  const WorkerOptions host = OptionsFor(Asked(), {}, "cpu:0");
  EXPECT_GT(host.memory_bytes, 0U);
  EXPECT_FALSE(host.gpu);
  const WorkerOptions device = OptionsFor(Asked(), {}, "cuda:0");
  EXPECT_EQ(device.memory_bytes, 0U);
  EXPECT_EQ(device.gpu->uuid, "GPU-1");
}

TEST(WorkerOptionsTest, WhatTakesSecondsToImportIsKnownByTheText) {
  EXPECT_EQ(ImportsOf(""), "");
  EXPECT_EQ(ImportsOf("torch.manual_seed(1)"), "");
  EXPECT_EQ(ImportsOf("torch.use_deterministic_algorithms(True)"),
            "torch._inductor.config");
}

}  // namespace
}  // namespace coppice::eval::torch
