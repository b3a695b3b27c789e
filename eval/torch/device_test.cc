#include "eval/torch/device.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "eval/judge/evaluators.h"
#include "eval/torch/worker.h"
#include "eval/torch/worker_options.h"
#include "eval/torch/worker_sandbox.h"

namespace coppice::eval::torch {
namespace {

Interpreter WithCuda(const std::string& version) {
  Interpreter interpreter;
  interpreter.torch = "2.13.0";
  interpreter.cuda = version;
  return interpreter;
}

TEST(DeviceTest, AProcessorIsAlwaysThere) {
  EXPECT_EQ(ChooseDevice("cpu", WithCuda("")).value(), "cpu");
  EXPECT_EQ(ChooseDevice("cpu", WithCuda("13.0")).value(), "cpu");
  EXPECT_EQ(ChooseDevice("cpu:0", WithCuda("")).value(), "cpu:0");
}

TEST(DeviceTest, ADevicesFactsBeginWithItsCapability) {
  EXPECT_EQ(FactsOnDevice("90", "16 processors"),
            "compute capability 9.0; its host: 16 processors");
  EXPECT_EQ(FactsOnDevice("120", "1 processor"),
            "compute capability 12.0; its host: 1 processor");
  EXPECT_EQ(FactsOnDevice("", "16 processors"), "16 processors");
}

TEST(DeviceTest, WithoutCudaAutoIsTheProcessor) {
  EXPECT_EQ(ChooseDevice("auto", WithCuda("")).value(), "cpu");
}

TEST(DeviceTest, APyTorchWithoutCudaIsNamed) {
  for (const std::string wanted : {"cuda", "cuda:0", "cuda:12"}) {
    const auto device = ChooseDevice(wanted, WithCuda(""));
    ASSERT_FALSE(device) << wanted;
    EXPECT_EQ(device.error().code, Errc::kUnavailable);
    EXPECT_EQ(device.error().what,
              "PyTorch 2.13.0 is built without CUDA; --python names a Python "
              "with another, and --devices cpu does without");
  }
}

TEST(DeviceTest, AGpuNeedsADriver) {
  const bool has_driver = std::filesystem::exists("/dev/nvidiactl");
  EXPECT_EQ(ChooseDevice("auto", WithCuda("13.0")).value(),
            has_driver ? "cuda:0" : "cpu");
  EXPECT_EQ(ChooseDevice("cuda", WithCuda("13.0")).value_or("none"),
            has_driver ? "cuda:0" : "none");
}

// What a candidate does not see it cannot use.
TEST(DeviceTest, AWorkerIsShownItsDeviceAlone) {
  const auto shown = [](const std::string& device) {
    PythonEvaluatorOptions evaluator;
    evaluator.scripts = "scripts";
    evaluator.gpu = Device{"GPU-bb22", "NVIDIA H200", 1, 2};
    const WorkerOptions options = OptionsFor(evaluator, {}, device);
    std::string value = "none";
    for (const auto& [name, text] :
         SandboxOf(options, WorkerRole::kKernel).environment) {
      if (name == "CUDA_VISIBLE_DEVICES") value = text;
    }
    return value;
  };
  EXPECT_EQ(shown("cuda:0"), "GPU-bb22");
  EXPECT_EQ(shown("cpu"), "none");
}

TEST(DeviceTest, OtherNamesAreRefused) {
  for (const char* wanted :
       {"", "gpu", "cuda:", "cuda:x", "cuda:1x", "cpu:1"}) {
    const auto device = ChooseDevice(wanted, WithCuda("13.0"));
    ASSERT_FALSE(device) << wanted;
    EXPECT_EQ(device.error().code, Errc::kUsage);
  }
}

}  // namespace
}  // namespace coppice::eval::torch
