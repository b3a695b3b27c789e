// Times two kernels the way nvbench's cold measurement does, sharing no code
// with the evaluator: a second opinion on its numbers.
//
//   nvcc -std=c++17 -gencode=arch=compute_90a,code=sm_90a nvbench_style.cu

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    if (const cudaError_t e = (call); e != cudaSuccess) {                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(e));               \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

__global__ void Hold(volatile int* go) {
  while (*go == 0) {
  }
}

__global__ void Relu(const float* x, float* y, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    y[i] = fmaxf(x[i], 0.0f);
  }
}

__global__ void Gemm(const float* A, const float* B, float* C, int N) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < N) {
    float sum = 0.0f;
    for (int k = 0; k < N; k++) {
      sum += A[i * N + k] * B[k * N + j];
    }
    C[i * N + j] = sum;
  }
}

template <class Launch>
void Measure(const char* name, const Launch& launch) {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  const size_t l2 = 2 * static_cast<size_t>(properties.l2CacheSize);
  void* flush;
  CHECK(cudaMalloc(&flush, l2));
  int* go;
  CHECK(cudaHostAlloc(&go, sizeof *go, cudaHostAllocMapped));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> samples;
  for (int i = 0; i < 210; ++i) {
    CHECK(cudaMemsetAsync(flush, 0, l2, stream));
    CHECK(cudaStreamSynchronize(stream));
    *static_cast<volatile int*>(go) = 0;
    Hold<<<1, 1, 0, stream>>>(go);
    CHECK(cudaEventRecord(begin, stream));
    launch(stream);
    CHECK(cudaEventRecord(end, stream));
    *static_cast<volatile int*>(go) = 1;
    CHECK(cudaStreamSynchronize(stream));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 10) samples.push_back(ms * 1e3f);
  }
  std::sort(samples.begin(), samples.end());
  std::printf("nvbench-style %s: median %.3f us, quartiles %.3f %.3f\n", name,
              samples[samples.size() / 2], samples[samples.size() / 4],
              samples[samples.size() * 3 / 4]);
  CHECK(cudaFree(flush));
}

float* Normal(size_t count) {
  std::vector<float> host(count);
  uint32_t state = 1;
  for (float& value : host) {
    float sum = -6.0f;  // Irwin and Hall: nearly normal.
    for (int i = 0; i < 12; ++i) {
      state = state * 1664525u + 1013904223u;
      sum += static_cast<float>(state >> 8) * 0x1p-24f;
    }
    value = sum;
  }
  float* device;
  CHECK(cudaMalloc(&device, count * sizeof(float)));
  CHECK(cudaMemcpy(device, host.data(), count * sizeof(float),
                   cudaMemcpyHostToDevice));
  return device;
}

int main() {
  const int n = 16777216;
  float* x = Normal(n);
  float* y = Normal(n);
  Measure("relu", [&](cudaStream_t s) {
    Relu<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
  });
  const int m = 1024;
  Measure("gemm", [&](cudaStream_t s) {
    Gemm<<<dim3((m + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, s>>>(x, y,
                                                                     x + m * m * 2,
                                                                     m);
  });
}
