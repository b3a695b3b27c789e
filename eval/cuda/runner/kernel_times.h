// Which kernels a call launches, and how long each takes.
//
// CUPTI (NVIDIA, its Activity API) tells it of any code, where the parent has
// given us the library; otherwise events between our own launches tell it of
// device code.  Only in calls whose time does not count.  A candidate with host
// code shares this process and could forge all of it: no verdict rests on it.
#pragma once

#include <vector>

#include "eval/cuda/runner/gpu.h"
#include "eval/cuda/runner/protocol.h"

namespace coppice::eval::cuda {

// The parent says by this variable where libcupti.so lies.
inline constexpr char kProfilerVariable[] = "COPPICE_CUPTI";

// Loads it, if there is one, and has it watch all kernels from now on.  Call
// before there is a context.
void LoadProfiler();

// Tells the kernels of one call apart.  One at a time.
class KernelTimes {
 public:
  // `gpu` outlives this and is idle.
  explicit KernelTimes(const Gpu& gpu);
  ~KernelTimes();
  KernelTimes(const KernelTimes&) = delete;
  KernelTimes& operator=(const KernelTimes&) = delete;

  // When the call begins to be queued.
  void Begin();

  // REQUIRES: the device is idle again.
  KernelInventory Take();

 private:
  friend void MarkLaunch(const Launch& launch);
  struct Mark {
    const Launch* launch = nullptr;  // Null: the begin.
    Event event = nullptr;
  };

  void Record(const Launch* launch);

  const Gpu& gpu_;
  std::vector<Mark> marks_;
};

// After each launch of ours: nothing, unless somebody tells them apart.
void MarkLaunch(const Launch& launch);

}  // namespace coppice::eval::cuda
