// counts[bin] = how many values have `bin` as their lowest eight bits.
//
// Error model: integers, so m = 0 and they must be equal.
//@ launch clear<<<1, BINS>>>(counts, counts_m)
//@ launch oracle<<<256, 256>>>(values, counts, int32(N))
extern "C" __global__ void clear(double* counts, double* counts_m) {
  counts[threadIdx.x] = 0.0;
  counts_m[threadIdx.x] = 0.0;
}

extern "C" __global__ void oracle(const int* values, double* counts, int N) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += 256 * gridDim.x) {
    atomicAdd(&bins[values[i] & 255], 1);
  }
  __syncthreads();
  // Exact, in any order: the counts are far below 2^53.
  atomicAdd(&counts[threadIdx.x], static_cast<double>(bins[threadIdx.x]));
}
