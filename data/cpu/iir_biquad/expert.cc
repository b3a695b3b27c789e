// A lane of a vector for each of 16 rows: the recursion cannot be cut, but rows
// are independent.  Blocks of 16 samples are turned round on the way in and
// out; groups of rows on all threads.
#include <algorithm>
#include <cstdint>

namespace {

constexpr int64_t LANES = 16;

}  // namespace

extern "C" void run(const float* x, float* y, int64_t B, int64_t N) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < B; b += LANES) {
    const int64_t rows = std::min(LANES, B - b);
    alignas(64) float in[LANES][LANES] = {};
    alignas(64) float out[LANES][LANES];
    alignas(64) float x1[LANES] = {};
    alignas(64) float x2[LANES] = {};
    alignas(64) float y1[LANES] = {};
    alignas(64) float y2[LANES] = {};
    for (int64_t n = 0; n < N; n += LANES) {
      const int64_t samples = std::min(LANES, N - n);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t s = 0; s < samples; ++s) in[s][r] = x[(b + r) * N + n + s];
      }
      for (int64_t s = 0; s < samples; ++s) {
#pragma omp simd
        for (int64_t r = 0; r < LANES; ++r) {
          const float fresh =
              0.0125f * in[s][r] + 0.025f * x1[r] + 0.0125f * x2[r];
          const float y0 = fresh - 0.45f * y2[r] + 1.4f * y1[r];
          x2[r] = x1[r];
          x1[r] = in[s][r];
          y2[r] = y1[r];
          y1[r] = y0;
          out[s][r] = y0;
        }
      }
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t s = 0; s < samples; ++s)
          y[(b + r) * N + n + s] = out[s][r];
      }
    }
  }
}
