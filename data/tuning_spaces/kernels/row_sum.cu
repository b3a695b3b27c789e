// LANES threads share a row, each with VECTOR floats at a time, and UNROLL of
// these under way; SHUFFLE is 1 for adding by shuffles, else it is done in shared
// memory.
constexpr int LANES = 32;   //@ tune 8 16 32 64 128 256
constexpr int BLOCK = 256;  //@ tune 64 128 256 512 1024
constexpr int VECTOR = 4;   //@ tune 1 2 4
constexpr int UNROLL = 2;   //@ tune 1 2 4
constexpr int SHUFFLE = 1;  //@ tune 0 1
//@ launch row_sum<<<ceil_div(R * LANES, BLOCK), BLOCK>>>(x, y, int32(R), int32(C))

static_assert(LANES <= BLOCK);
static_assert(SHUFFLE == 0 || LANES <= 32);

// y[R] = sum of each row of x[R,C]
extern "C" __global__ void row_sum(const float* x, float* y, int R, int C) {
  __shared__ float part[BLOCK];
  int lane = threadIdx.x % LANES;
  int row = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
  float sums[UNROLL] = {};
  if (row < R) {
    const float* from = x + (long long)row * C;
    int begin = 0;
    if (C % VECTOR == 0) {
      constexpr int STEP = LANES * VECTOR;
      for (begin = lane * VECTOR; begin + (UNROLL - 1) * STEP < C; begin += UNROLL * STEP) {
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
          const float* at = from + begin + u * STEP;
          if (VECTOR == 4) {
            float4 v = *reinterpret_cast<const float4*>(at);
            sums[u] += (v.x + v.y) + (v.z + v.w);
          } else if (VECTOR == 2) {
            float2 v = *reinterpret_cast<const float2*>(at);
            sums[u] += v.x + v.y;
          } else {
            sums[u] += *at;
          }
        }
      }
      for (; begin < C; begin += STEP) {
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) sums[0] += from[begin + v];
      }
    } else {
      for (begin = lane; begin < C; begin += LANES) sums[0] += from[begin];
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) sum += sums[u];
  if (SHUFFLE == 1) {
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) {
      sum += __shfl_down_sync(0xffffffff, sum, step, LANES);
    }
  } else {
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = LANES / 2; step > 0; step /= 2) {
      if (lane < step) part[threadIdx.x] += part[threadIdx.x + step];
      __syncthreads();
    }
    sum = part[threadIdx.x];
  }
  if (lane == 0 && row < R) y[row] = sum;
}
