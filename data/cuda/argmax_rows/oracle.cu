// index = that of the largest element of each row, the first of equal ones.
//
// Error model: integers, so m = 0 and they must be equal.
//@ launch oracle<<<R, 32>>>(x, index, index_m, int32(C))
extern "C" __global__ void oracle(const float* x, double* index,
                                  double* index_m, int C) {
  const long long row = static_cast<long long>(blockIdx.x) * C;
  int best = 0;
  for (int j = threadIdx.x; j < C; j += 32) {
    if (x[row + j] > x[row + best]) best = j;
  }
  for (int step = 16; step > 0; step /= 2) {
    const int other = __shfl_xor_sync(0xffffffff, best, step);
    const bool larger = x[row + other] > x[row + best];
    const bool equal = x[row + other] == x[row + best];
    if (larger || (equal && other < best)) best = other;
  }
  if (threadIdx.x == 0) {
    index[blockIdx.x] = best;
    index_m[blockIdx.x] = 0.0;
  }
}
