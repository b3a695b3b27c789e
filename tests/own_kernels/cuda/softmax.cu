#include <cuda_runtime.h>
#define BLOCK 128
__global__ void softmax(const float* __restrict__ x, float* y, int R, int C) {
  int row = blockIdx.x;
  int tid = threadIdx.x;
  __shared__ float part[BLOCK];
  float most = -1e30f;
  for (int j = tid; j < C; j += blockDim.x) most = fmaxf(most, x[row * C + j]);
  part[tid] = most;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s /= 2) {
    if (tid < s) part[tid] = fmaxf(part[tid], part[tid + s]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  float sum = 0.0f;
  for (int j = tid; j < C; j += blockDim.x) sum += expf(x[row * C + j] - most);
  part[tid] = sum;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s /= 2) {
    if (tid < s) part[tid] += part[tid + s];
    __syncthreads();
  }
  for (int j = tid; j < C; j += blockDim.x)
    y[row * C + j] = expf(x[row * C + j] - most) / part[0];
}
void softmax_rows(const float* x, float* y, int R, int C) {
  softmax<<<R, BLOCK>>>(x, y, R, C);
}
