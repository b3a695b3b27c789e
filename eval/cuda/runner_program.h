// What a runner is to execute on one workload, as the words of its Control.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/cuda/runner/protocol.h"
#include "eval/formats/shapes.h"
#include "eval/host/shared_memory.h"
#include "store/records/result.h"

namespace coppice::eval::cuda {

struct RunnerProgram {
  Part part = Part::kDeviceCode;
  std::filesystem::path code;  // A cubin or a shared object.
  std::vector<Launch> launches;
  std::vector<LaunchArgument> arguments;  // Of all launches, or of the entry.
  std::vector<std::uint64_t> scratch_bytes;
  std::string entry;  // Of a shared object.
};

// A shared object's call: inputs, outputs, varying axes, stream.
RunnerProgram CallEntry(const std::filesystem::path& object,
                        const std::string& entry, const Shapes& shapes);

// Where a tensor of so many bytes lies: flush with the end of its pages.
DeviceTensor Place(const TensorShape& shape);

// Writable for us, read-only for runners.  Fails with kUsage if the workload
// or the program is larger than the protocol allows.
Result<SharedMemory> WriteControl(const RunnerProgram& runner_program,
                                  const Shapes& shapes, std::uint32_t sets);

}  // namespace coppice::eval::cuda
