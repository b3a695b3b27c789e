// Streams, devices and status checks of CUDA, as torch keeps them.
#pragma once

#include <coppice/types.h>
#include <cuda_runtime_api.h>

struct cublasContext;

namespace lookalike {
namespace cuda {

class CUDAStream {
 public:
  CUDAStream(cudaStream_t stream, int device)
      : stream_(stream), device_(device) {}
  operator cudaStream_t() const { return stream_; }
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return static_cast<DeviceIndex>(device_); }
  void synchronize() const {
    coppice_cuda_check(cudaStreamSynchronize(stream_), __FILE__, __func__,
                       __LINE__);
  }

 private:
  cudaStream_t stream_;
  int device_;
};

inline CUDAStream getCurrentCUDAStream(int device = -1) {
  const int which = device < 0 ? coppice_current_device() : device;
  return CUDAStream(static_cast<cudaStream_t>(coppice_stream(which, false)),
                    which);
}
inline CUDAStream getStreamFromPool(bool = false, int device = -1) {
  const int which = device < 0 ? coppice_current_device() : device;
  return CUDAStream(static_cast<cudaStream_t>(coppice_stream(which, true)),
                    which);
}
inline DeviceIndex current_device() {
  return static_cast<DeviceIndex>(coppice_current_device());
}
inline cudaDeviceProp* getDeviceProperties(int device) {
  return static_cast<cudaDeviceProp*>(coppice_device_properties(device));
}
inline cudaDeviceProp* getCurrentDeviceProperties() {
  return getDeviceProperties(-1);
}
inline cublasContext* getCurrentCUDABlasHandle() {
  return static_cast<cublasContext*>(coppice_blas_handle());
}

class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex index)
      : before_(coppice_exchange_device(index)) {}
  explicit CUDAGuard(Device device)
      : CUDAGuard(device.has_index() ? device.index() : current_device()) {}
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;
  ~CUDAGuard() { coppice_exchange_device(before_); }

 private:
  int before_;
};
// Guards a tensor's device, as at::cuda::OptionalCUDAGuard(device_of(x)) is
// written.
class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device> device) {
    if (device && device->is_cuda()) guard_.emplace(*device);
  }

 private:
  std::optional<CUDAGuard> guard_;
};

}  // namespace cuda
}  // namespace lookalike

#define C10_CUDA_CHECK(EXPR)                                              \
  do {                                                                    \
    const cudaError_t coppice_status = EXPR;                              \
    if (coppice_status != cudaSuccess) {                                  \
      ::lookalike::coppice_cuda_check(coppice_status, __FILE__, __func__, \
                                      __LINE__);                          \
    }                                                                     \
  } while (false)
#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
