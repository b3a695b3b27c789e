// Each element of A adds a multiple of a row of X to up to 64 sums, which stay
// in registers; rows on all threads.
#include <algorithm>
#include <cstdint>

extern "C" void run(const int32_t* row_start, const int32_t* columns,
                    const float* values, const float* X, float* Y, int64_t M,
                    int64_t NNZ, int64_t N, int64_t F) {
  constexpr int64_t WIDE = 64;
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t i = 0; i < M; ++i) {
    const int64_t begin = row_start[i];
    const int64_t end = i + 1 < M ? row_start[i + 1] : NNZ;
    int64_t f = 0;
    for (; f + WIDE <= F; f += WIDE) {
      float sum[WIDE] = {};
      for (int64_t k = begin; k < end; ++k) {
        const float* row = X + static_cast<int64_t>(columns[k]) * F + f;
        const float value = values[k];
#pragma omp simd
        for (int64_t g = 0; g < WIDE; ++g) sum[g] += value * row[g];
      }
      std::copy(sum, sum + WIDE, Y + i * F + f);
    }
    if (f == F) continue;
    const int64_t rest = F - f;
    float* out = Y + i * F + f;
    std::fill_n(out, rest, 0.0f);
    for (int64_t k = begin; k < end; ++k) {
      const float* row = X + static_cast<int64_t>(columns[k]) * F + f;
      const float value = values[k];
#pragma omp simd
      for (int64_t g = 0; g < rest; ++g) out[g] += value * row[g];
    }
  }
}
