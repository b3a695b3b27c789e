#include "eval/cuda/runner/program.h"

#include "eval/cuda/runner/shared_object.h"

namespace coppice::eval::cuda {
namespace {

class DeviceCode : public LoadedProgram {
 public:
  DeviceCode(const Gpu& gpu, const Control& control, const std::string& code)
      : launches_(gpu, control, code) {}
  void Queue(const Buffers& buffers) override { launches_.Queue(buffers); }

 private:
  Launches launches_;
};

}  // namespace

std::unique_ptr<LoadedProgram> LoadProgram(const Gpu& gpu,
                                           const Control& control,
                                           const std::string& code,
                                           int descriptor) {
  if (control.part == Part::kDeviceCode) {
    return std::make_unique<DeviceCode>(gpu, control, code);
  }
  return LoadSharedObject(gpu, control, descriptor);
}

}  // namespace coppice::eval::cuda
