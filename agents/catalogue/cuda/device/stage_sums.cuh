// Puts a block's sums into shared memory, in rows of BN and 8 to spread banks.
template <int BN, int WM, int WN>
__device__ void StageSums(const float (&sums)[WM / 16][WN / 8][4],
                          float* staged) {
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  float* own = staged + (warp / (BN / WN) * WM + lane / 4) * (BN + 8) +
               warp % (BN / WN) * WN + lane % 4 * 2;
#pragma unroll
  for (int m = 0; m < WM / 16; ++m) {
#pragma unroll
    for (int n = 0; n < WN / 8; ++n) {
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        *reinterpret_cast<float2*>(own + (16 * m + 4 * e) * (BN + 8) + 8 * n) =
            make_float2(sums[m][n][e], sums[m][n][e + 1]);
      }
    }
  }
}
