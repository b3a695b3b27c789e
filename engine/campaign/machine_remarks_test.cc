#include "engine/campaign/machine_remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

Inventory Workstation() {
  return {.sandbox = "bubblewrap",
          .compiler = "g++ 12.2.0",
          .disturbance = "",
          .spread = 0.004,
          .gpus = std::vector<Inventory::Gpu>{{"0: NVIDIA H200 GPU-aa", true}},
          .toolkit = "CUDA 13.0",
          .nvcc = "/usr/local/cuda/bin/nvcc",
          .sanitizers = "/usr/local/cuda/compute-sanitizer",
          .nsight = "/opt/nvidia/ncu",
          .may_count = true,
          .torch = Inventory::Torch{"torch 2.11.0", true, true},
          .certificates = "/etc/ssl/cert.pem",
          .has_page = true};
}

std::vector<std::string> Lines(const Inventory& inventory) {
  std::vector<std::string> lines;
  for (const Remark& remark : RemarksOn(inventory)) {
    lines.push_back(remark.part + (remark.is_well ? " + " : " - ") +
                    remark.text);
  }
  return lines;
}

TEST(MachineRemarksTest, AWholeMachineHasALineForEachPart) {
  EXPECT_THAT(
      Lines(Workstation()),
      ElementsAre("sandbox + bubblewrap", "C++ compiler + g++ 12.2.0",
                  "noise + 0.4 % between the quartiles of equal work",
                  "GPU + 0: NVIDIA H200 GPU-aa", "CUDA toolkit + CUDA 13.0",
                  "nvcc + /usr/local/cuda/bin/nvcc",
                  "compute-sanitizer + /usr/local/cuda/compute-sanitizer",
                  "ncu + /opt/nvidia/ncu", "torch + torch 2.11.0",
                  "certificates + /etc/ssl/cert.pem",
                  "page + `coppice serve` shows it"));
  EXPECT_TRUE(CanRunOnProcessor(Workstation()));
}

// Tools for a device that is not there are no loss.
TEST(MachineRemarksTest, WithoutAGpuOneLineSaysSo) {
  Inventory inventory = Workstation();
  inventory.gpus = Fail(Errc::kUnavailable, "no device here");
  inventory.toolkit = Fail(Errc::kUnavailable, "no toolkit");
  EXPECT_THAT(
      Lines(inventory),
      ElementsAre("sandbox + bubblewrap", "C++ compiler + g++ 12.2.0",
                  "noise + 0.4 % between the quartiles of equal work",
                  "GPU - no device here; CUDA tasks cannot be judged, all "
                  "others can",
                  "torch + torch 2.11.0; its tasks run on the processor",
                  "certificates + /etc/ssl/cert.pem",
                  "page + `coppice serve` shows it"));
  EXPECT_TRUE(CanRunOnProcessor(inventory));
}

TEST(MachineRemarksTest, WhatIsMissingSaysWhatItCosts) {
  Inventory inventory = Workstation();
  inventory.disturbance = "2 others are running";
  inventory.spread = 0.12;
  inventory.gpus = std::vector<Inventory::Gpu>{{"0: NVIDIA H200 GPU-aa", false},
                                               {"1: NVIDIA H200 GPU-bb", true}};
  inventory.nvcc = Fail(Errc::kUnavailable, "not found");
  inventory.sanitizers.reset();
  inventory.may_count = false;
  inventory.torch->has_cuda = false;
  inventory.certificates = Fail(Errc::kUnavailable, "there are none");
  inventory.has_page = false;
  EXPECT_THAT(
      Lines(inventory),
      ElementsAre(
          "sandbox + bubblewrap", "C++ compiler + g++ 12.2.0",
          "noise - 2 others are running, 12 % between the quartiles of equal "
          "work; rounds are made again, and intervals are wider",
          "GPU - 0: NVIDIA H200 GPU-aa; hidden by CUDA_VISIBLE_DEVICES, so not "
          "used",
          "GPU + 1: NVIDIA H200 GPU-bb", "CUDA toolkit + CUDA 13.0",
          "nvcc - not found; kernels with host code, and extensions of "
          "PyTorch's, cannot be compiled",
          "compute-sanitizer - not found; leaders are not sanitized",
          "ncu - /opt/nvidia/ncu; counters are kept for administrators: "
          "profiles go without memory traffic, occupancy and cache hits; the "
          "driver's option NVreg_RestrictProfilingToAdminUsers=0 allows them",
          "torch - torch 2.11.0 is built without CUDA; its tasks run on the "
          "processor",
          "certificates - there are none; no model can be asked over HTTPS",
          "page - the program was built without it, so that `coppice serve` "
          "answers programs alone; `scripts/setup page`, and build again"));
}

TEST(MachineRemarksTest, WithoutSandboxOrCompilerNoCampaignRuns) {
  Inventory inventory = Workstation();
  inventory.compiler = Fail(Errc::kUnavailable, "g++: not found");
  EXPECT_FALSE(CanRunOnProcessor(inventory));
  EXPECT_EQ(Lines(inventory)[1],
            "C++ compiler - g++: not found; no C++ kernel can be judged; "
            "install g++");
  inventory = Workstation();
  inventory.sandbox = Fail(Errc::kUnavailable, "no user namespaces");
  EXPECT_FALSE(CanRunOnProcessor(inventory));
  EXPECT_EQ(Lines(inventory)[0],
            "sandbox - no user namespaces; nothing can be judged");
  inventory.compiler = Fail(Errc::kUnavailable, "g++: does not run");
  EXPECT_EQ(Lines(inventory)[1],
            "C++ compiler - g++: does not run; it works in the sandbox, which "
            "must be there first");
}

std::string LineOf(const Inventory& inventory, const std::string& part) {
  std::string found = "none";
  for (const std::string& line : Lines(inventory)) {
    if (line.starts_with(part + " ")) found = line.substr(part.size() + 1);
  }
  return found;
}

// All are hidden, so nothing is said of what they would need.
TEST(MachineRemarksTest, ToolsForGpusThatNobodyUsesAreNotMissed) {
  Inventory inventory = Workstation();
  inventory.gpus = std::vector<Inventory::Gpu>{{"0: NVIDIA H200", false}};
  inventory.nsight.reset();
  EXPECT_EQ(LineOf(inventory, "ncu"), "none");
  EXPECT_EQ(LineOf(inventory, "CUDA toolkit"), "none");
  EXPECT_EQ(LineOf(inventory, "torch"),
            "+ torch 2.11.0; its tasks run on the processor");
  // A whole torch is not asked for what has no device.
  inventory.torch->has_triton = false;
  EXPECT_EQ(LineOf(inventory, "torch"),
            "+ torch 2.11.0; its tasks run on the processor");
}

TEST(MachineRemarksTest, WithoutAToolkitNothingIsSaidOfItsParts) {
  Inventory inventory = Workstation();
  inventory.toolkit = Fail(Errc::kUnavailable, "no toolkit");
  inventory.nvcc = Fail(Errc::kUnavailable, "not found");
  inventory.sanitizers.reset();
  EXPECT_EQ(LineOf(inventory, "CUDA toolkit"),
            "- no toolkit; CUDA C++ cannot be compiled; install it, or name "
            "its folder in CUDA_PATH");
  for (const char* part : {"nvcc", "compute-sanitizer", "ncu"}) {
    EXPECT_EQ(LineOf(inventory, part), "none") << part;
  }
  EXPECT_EQ(LineOf(inventory, "torch"), "+ torch 2.11.0");
}

TEST(MachineRemarksTest, EachLackOfAGpusHasItsPrice) {
  Inventory inventory = Workstation();
  inventory.nsight.reset();
  inventory.may_count = false;  // Of what is not there it matters nothing.
  inventory.torch->has_triton = false;
  EXPECT_EQ(LineOf(inventory, "ncu"),
            "- not found; profiles go without memory traffic, occupancy and "
            "cache hits");
  EXPECT_EQ(LineOf(inventory, "torch"),
            "- torch 2.11.0; without Triton, kernels in it cannot be judged");
  inventory.torch = Fail(Errc::kUnavailable, "no Python here");
  EXPECT_EQ(LineOf(inventory, "torch"),
            "- no Python here; tasks in PyTorch cannot be judged");
}

// 5 % is still no noise.
TEST(MachineRemarksTest, EqualWorkThatTakesUnequalTimesIsNoise) {
  Inventory inventory = Workstation();
  inventory.spread = 0.05;
  EXPECT_EQ(LineOf(inventory, "noise"),
            "+ 5 % between the quartiles of equal work");
  inventory.spread = 0.051;
  EXPECT_EQ(LineOf(inventory, "noise"),
            "- 5.1 % between the quartiles of equal work; intervals are wider, "
            "and small gains are not told");
}

}  // namespace
}  // namespace coppice::engine
