// COPIES histograms in shared memory a block, so that fewer threads meet at a
// bin; each thread takes WORK values, VECTOR at a time; SPREAD lays a copy's
// bins side by side or the copies of a bin.
constexpr int BLOCK = 256;  //@ tune 128 256 512 1024
constexpr int COPIES = 1;   //@ tune 1 2 4 8
constexpr int WORK = 16;    //@ tune 1 4 16 64 128
constexpr int VECTOR = 1;   //@ tune 1 4
constexpr int SPREAD = 0;   //@ tune 0 1
//@ launch clear<<<1, BINS>>>(counts)
//@ launch count<<<ceil_div(N, BLOCK * WORK), BLOCK>>>(values, counts, int32(N))

static_assert(WORK % VECTOR == 0);
static_assert(COPIES <= BLOCK / 32);

__device__ int Place(int bin, int copy) {
  return SPREAD == 1 ? bin * COPIES + copy : copy * 256 + bin;
}

// counts[BINS] = how many of values[N] have that number as lowest eight bits
extern "C" __global__ void clear(int* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count(const int* values, int* counts, int N) {
  __shared__ int bins[256 * COPIES];
  for (int i = threadIdx.x; i < 256 * COPIES; i += BLOCK) bins[i] = 0;
  __syncthreads();
  int copy = threadIdx.x / 32 % COPIES;
  long long first = (long long)blockIdx.x * BLOCK * WORK;
#pragma unroll
  for (int w = 0; w < WORK; w += VECTOR) {
    long long at = first + (long long)w * BLOCK + threadIdx.x * VECTOR;
    if (VECTOR == 4 && at + 3 < N) {
      int4 v = *reinterpret_cast<const int4*>(values + at);
      atomicAdd(&bins[Place(v.x & 255, copy)], 1);
      atomicAdd(&bins[Place(v.y & 255, copy)], 1);
      atomicAdd(&bins[Place(v.z & 255, copy)], 1);
      atomicAdd(&bins[Place(v.w & 255, copy)], 1);
    } else {
      for (int v = 0; v < VECTOR; ++v) {
        if (at + v < N) atomicAdd(&bins[Place(values[at + v] & 255, copy)], 1);
      }
    }
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += BLOCK) {
    int sum = 0;
    for (int c = 0; c < COPIES; ++c) sum += bins[Place(bin, c)];
    if (sum > 0) atomicAdd(&counts[bin], sum);
  }
}
