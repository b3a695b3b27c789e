// The pivots are the same for all rows: one table of their reciprocals.  Then a
// lane of a vector for each of 16 rows, turned round on the way in and out;
// groups of rows on all threads.
#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" void run(const float* d, float* x, int64_t B, int64_t N) {
  constexpr int64_t LANES = 16;
  std::vector<float> scale(N);  // 1 / pivot, which is minus the upper diagonal.
  scale[0] = 1.0f / 3.0f;
  for (int64_t i = 1; i < N; ++i) scale[i] = 1.0f / (3.0f - scale[i - 1]);
#pragma omp parallel
  {
    std::vector<float> right(N * LANES);
#pragma omp for schedule(static)
    for (int64_t b = 0; b < B; b += LANES) {
      const int64_t rows = std::min(LANES, B - b);
      alignas(64) float carried[LANES] = {};
      alignas(64) float block[LANES][LANES] = {};
      for (int64_t n = 0; n < N; n += LANES) {
        const int64_t count = std::min(LANES, N - n);
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t s = 0; s < count; ++s)
            block[s][r] = d[(b + r) * N + n + s];
        }
        for (int64_t s = 0; s < count; ++s) {
          float* out = right.data() + (n + s) * LANES;
#pragma omp simd
          for (int64_t r = 0; r < LANES; ++r) {
            carried[r] = (block[s][r] + carried[r]) * scale[n + s];
            out[r] = carried[r];
          }
        }
      }
      std::fill_n(carried, LANES, 0.0f);
      for (int64_t n = (N - 1) / LANES * LANES; n >= 0; n -= LANES) {
        const int64_t count = std::min(LANES, N - n);
        for (int64_t s = count - 1; s >= 0; --s) {
          const float* in = right.data() + (n + s) * LANES;
#pragma omp simd
          for (int64_t r = 0; r < LANES; ++r) {
            carried[r] = in[r] + scale[n + s] * carried[r];
            block[s][r] = carried[r];
          }
        }
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t s = 0; s < count; ++s)
            x[(b + r) * N + n + s] = block[s][r];
        }
      }
    }
  }
}
