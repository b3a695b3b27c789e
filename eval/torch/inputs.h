// The inputs of calls, as a problem's worker draws them and kernel workers
// see them: slots of shared memory that only the parent can write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/host/shared_memory.h"
#include "eval/host/unique_fd.h"
#include "eval/torch/protocol.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

class Worker;

class InputSlots {
 public:
  // `entries` is what a problem's worker has drawn: later draws are like it.
  static Result<InputSlots> Create(const std::vector<TensorEntry>& entries,
                                   std::uint32_t slots);

  // Copies what `problem` has drawn.  kUsage if it is of other shapes.
  Result<void> Fill(std::uint32_t slot, const Worker& problem);

  // The layout that a kernel worker is told, as JSON.
  std::string Layout() const;

  Result<UniqueFd> OpenToRead() const { return memory_.OpenToRead(); }

 private:
  InputSlots() = default;

  SharedMemory memory_;
  std::uint64_t stride_ = 0;
  std::vector<TensorEntry> entries_;    // Addresses aside.
  std::vector<std::uint64_t> offsets_;  // Within a slot.
};

}  // namespace coppice::eval::torch
