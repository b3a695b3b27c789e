#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <cub/device/device_scan.cuh>

namespace {

struct RowOf {
  int columns;
  __host__ __device__ int operator()(int at) const { return at / columns; }
};

}  // namespace

// One scan of the whole matrix that begins anew where the row changes.
extern "C" void run(const float* x, float* y, int64_t R, int64_t C,
                    cudaStream_t stream) {
  static void* scratch = nullptr;
  static std::size_t held = 0;
  const auto rows = thrust::make_transform_iterator(
      thrust::make_counting_iterator(0), RowOf{static_cast<int>(C)});
  const auto scan = [&](void* memory, std::size_t& needed) {
    cub::DeviceScan::InclusiveSumByKey(memory, needed, rows, x, y, R * C,
                                       cuda::std::equal_to<>{}, stream);
  };
  std::size_t needed = 0;
  scan(nullptr, needed);
  if (needed > held) {
    cudaFree(scratch);
    cudaMalloc(&scratch, held = needed);
  }
  scan(scratch, needed);
}
