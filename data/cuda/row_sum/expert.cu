#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <cub/device/device_segmented_reduce.cuh>

namespace {

struct StartOf {
  int64_t columns;
  __host__ __device__ int64_t operator()(int64_t row) const {
    return row * columns;
  }
};

}  // namespace

extern "C" void run(const float* x, float* y, int64_t R, int64_t C,
                    cudaStream_t stream) {
  static void* scratch = nullptr;
  static std::size_t held = 0;
  const auto starts = thrust::make_transform_iterator(
      thrust::make_counting_iterator(int64_t{0}), StartOf{C});
  const auto sum = [&](void* memory, std::size_t& needed) {
    cub::DeviceSegmentedReduce::Sum(memory, needed, x, y, R, starts, starts + 1,
                                    stream);
  };
  std::size_t needed = 0;
  sum(nullptr, needed);
  if (needed > held) {
    cudaFree(scratch);
    cudaMalloc(&scratch, held = needed);
  }
  sum(scratch, needed);
}
