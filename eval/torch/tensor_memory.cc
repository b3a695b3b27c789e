#include "eval/torch/tensor_memory.h"

#include <limits>

#include "eval/formats/shapes.h"
#include "eval/host/machine.h"
#include "eval/torch/worker.h"
#include "store/records/formatted.h"

namespace coppice::eval::torch {
namespace {

// The problem draws inputs, and there are three places for them in memory that
// root and candidate are shown.  Outputs are in both, and are read from there.
constexpr std::uint64_t kCopiesOnCpu = 4;

std::string Gigabytes(std::uint64_t bytes) {
  return Formatted("%.1f GB", 1e-9 * static_cast<double>(bytes));
}

}  // namespace

std::uint64_t MostTensorBytes(const std::string& device) {
  return IsCpu(device) ? MemoryBytes() / kCopiesOnCpu
                       : std::numeric_limits<std::uint64_t>::max();
}

Error TooLarge(const std::string& task, const std::string& tensors,
               std::uint64_t bytes) {
  return {Errc::kUnfit,
          task + ": its " + tensors + " are " + Gigabytes(bytes) +
              ", and judging it on a CPU takes " +
              std::to_string(kCopiesOnCpu) +
              " times as much memory, of which this machine has " +
              Gigabytes(MemoryBytes()) +
              "; a copy of its file with smaller sizes needs less, or a GPU "
              "judges it as it is (--devices 0)"};
}

Result<void> MustFit(const Task& task, const std::string& device) {
  const auto shapes = Resolve(task.definition, task.workloads.front());
  if (!shapes) return {};  // It has types that are none of C++'s.
  const std::uint64_t bytes =
      BytesOf(shapes->inputs) + BytesOf(shapes->outputs);
  if (bytes <= MostTensorBytes(device)) return {};
  return tl::unexpected<Error>(
      TooLarge(task.definition.name, "inputs and outputs", bytes));
}

}  // namespace coppice::eval::torch
