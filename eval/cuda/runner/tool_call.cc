#include "eval/cuda/runner/tool_call.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "eval/cuda/runner/program.h"
#include "eval/cuda/runner/request_loop.h"
#include "eval/cuda/runner/requests.h"

namespace coppice::eval::cuda {
namespace {

Buffers Allocate(const Gpu& gpu, const Control& control) {
  Buffers buffers;
  for (std::uint32_t i = 0; i < control.inputs; ++i) {
    const DeviceTensor& tensor = control.input[i];
    if (tensor.scalar != 0) {
      buffers.inputs.push_back(0);
      continue;
    }
    buffers.inputs.push_back(gpu.Allocate(tensor.bytes));
    const std::string bytes = ReadAll(kFirstInputFd + static_cast<int>(i));
    if (bytes.size() < tensor.bytes) Refuse("%s", "an input is too short");
    Must(gpu.driver().MemcpyHtoD(buffers.inputs.back(), bytes.data(),
                                 tensor.bytes),
         FailureStage::kMemory);
  }
  for (std::uint32_t i = 0; i < control.outputs; ++i) {
    buffers.outputs.push_back(gpu.Allocate(control.output[i].bytes));
  }
  for (std::uint32_t i = 0; i < control.scratches; ++i) {
    buffers.scratches.push_back(gpu.Allocate(control.scratch_bytes[i]));
  }
  return buffers;
}

// Nsight Compute writes files and starts threads and sockets of its own in this
// process.  Kernels make no system calls, so with device code it may: what is
// around this process confines it still.  Beside host code it has to do with
// what is left to that.
bool MayKeepRights(Watchers watchers, const Control& control) {
  return watchers == Watchers::kProfiler && control.part == Part::kDeviceCode;
}

}  // namespace

void CallUnderTool(Watchers watchers) {
  SpeakPlainly();
  const Control& control = MapControl(kRehearsalControlFd);
  const std::string code = ReadAll(kRehearsalCodeFd);
  const Gpu gpu("");
  const Buffers buffers = Allocate(gpu, control);
  if (!MayKeepRights(watchers, control) && !Confine(watchers)) {
    Refuse("%s", "cannot confine itself");
  }
  const std::unique_ptr<LoadedProgram> program =
      LoadProgram(gpu, control, code, kRehearsalCodeFd);
  program->Queue(buffers);
  gpu.Synchronize(FailureStage::kRun);
  std::exit(0);
}

}  // namespace coppice::eval::cuda
