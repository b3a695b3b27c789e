//@ launch clear<<<1, BINS>>>(counts)
//@ launch count<<<ceil_div(N, 256), 256>>>(values, counts, int32(N))

// counts[BINS] = how many of values[N] have that number as lowest eight bits
extern "C" __global__ void clear(int* counts) { counts[threadIdx.x] = 0; }

extern "C" __global__ void count(const int* values, int* counts, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    atomicAdd(&counts[values[i] & 255], 1);
  }
}
