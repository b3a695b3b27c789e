//@ scratch float p[H * L * L]
//@ launch scores<<<(ceil_div(L, 16), ceil_div(L, 16), H), (16, 16)>>>(q, k, sm_scale, p, int32(L))
//@ launch softmax<<<ceil_div(H * L, 128), 128>>>(p, int32(L))
//@ launch weigh<<<(ceil_div(E, 16), ceil_div(L, 16), H), (16, 16)>>>(p, v, o, int32(L))
#include <cuda_fp16.h>

// p[H,L,L] = sm_scale * q[L,H,E] * k[L,H,E]^T head by head, no later positions
extern "C" __global__ void scores(const __half* q, const __half* k,
                                  float sm_scale, float* p, int L) {
  constexpr int H = 8;
  constexpr int E = 64;
  int h = blockIdx.z;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < L && j <= i) {
    float sum = 0.0f;
    for (int e = 0; e < E; ++e) {
      sum += __half2float(q[(i * H + h) * E + e]) *
             __half2float(k[(j * H + h) * E + e]);
    }
    p[(h * L + i) * L + j] = sm_scale * sum;
  }
}

// Softmax of each row, up to its own position
extern "C" __global__ void softmax(float* p, int L) {
  constexpr int H = 8;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < H * L) {
    int i = row % L;
    float largest = p[row * L];
    for (int j = 0; j < i + 1; ++j) {
      largest = fmaxf(largest, p[row * L + j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < i + 1; ++j) {
      p[row * L + j] = expf(p[row * L + j] - largest);
      sum += p[row * L + j];
    }
    for (int j = 0; j < i + 1; ++j) {
      p[row * L + j] = p[row * L + j] / sum;
    }
  }
}

// o[L,H,E] = p[H,L,L] * v[L,H,E] head by head
extern "C" __global__ void weigh(const float* p, const __half* v, __half* o,
                                 int L) {
  constexpr int H = 8;
  constexpr int E = 64;
  int h = blockIdx.z;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < L && e < E) {
    float sum = 0.0f;
    for (int j = 0; j < i + 1; ++j) {
      sum += p[(h * L + i) * L + j] * __half2float(v[(j * H + h) * E + e]);
    }
    o[(i * H + h) * E + e] = __float2half(sum);
  }
}
