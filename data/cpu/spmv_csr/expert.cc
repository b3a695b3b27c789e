// Rows on threads by equal numbers of elements; within a row, gathers of eight
// at a time into two sums.
#include <algorithm>
#include <cstdint>

extern "C" void run(const int32_t* row_start, const int32_t* columns,
                    const float* values, const float* x, float* y, int64_t M,
                    int64_t NNZ, int64_t N) {
  constexpr int64_t PART = 1 << 14;  // Elements, to the end of a row.
#pragma omp parallel for schedule(dynamic)
  for (int64_t part = 0; part < NNZ / PART + 1; ++part) {
    // The rows that begin within it.
    const auto first = [&](int64_t element) {
      return std::lower_bound(row_start, row_start + M, element) - row_start;
    };
    const int64_t begin = part == 0 ? 0 : first(part * PART);
    const int64_t end = part == NNZ / PART ? M : first((part + 1) * PART);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t to = i + 1 < M ? row_start[i + 1] : NNZ;
      float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
      for (int64_t k = row_start[i]; k < to; ++k) {
        sum += values[k] * x[columns[k]];
      }
      y[i] = sum;
    }
  }
}
