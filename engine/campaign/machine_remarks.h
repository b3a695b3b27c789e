// What this machine has for judging kernels, what it lacks, and what that costs
// a user: a line for each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::engine {

// What was found, each as it is shown, or why it is not there.
struct Inventory {
  struct Torch {
    std::string text;  // "torch 2.11.0 for CUDA 13.0, Triton 3.6.0, Python ..."
    bool has_cuda = false;
    bool has_triton = false;
  };
  struct Gpu {
    std::string text;         // "0: NVIDIA H200 GPU-..., driver 580.126.09"
    bool is_visible = false;  // By CUDA_VISIBLE_DEVICES.
  };

  Result<std::string> sandbox;
  Result<std::string> compiler;
  // What else used the machine while it was looked at; empty: nothing.
  std::string disturbance;
  double spread = 0.0;  // Between quartiles of equal work, over its median.
  Result<std::vector<Gpu>> gpus;
  Result<std::string> toolkit;  // The rest but torch is of no use without one.
  Result<std::string> nvcc;
  std::optional<std::string> sanitizers;
  std::optional<std::string> nsight;
  bool may_count = false;  // The driver lets this user read counters.
  Result<Torch> torch;
  Result<std::string> certificates;  // Of authorities, for TLS.
  bool has_page = false;             // The Inspector's, within the program.
};

struct Remark {
  std::string part;  // "sandbox"
  bool is_well = false;
  std::string text;
};

// In the order in which they matter.
std::vector<Remark> RemarksOn(const Inventory& inventory);

// Whether a campaign on the processor can run.
bool CanRunOnProcessor(const Inventory& inventory);

}  // namespace coppice::engine
