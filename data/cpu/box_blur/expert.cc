// Separable: sums of columns, which slide down with the rows, then sums along
// the row.  Sums that slide are in double, since an element that leaves one
// leaves its rounding behind.  Bands of rows on all threads.
#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" void run(const float* x, float* y, int64_t H, int64_t W) {
  constexpr int64_t R = 5;
  constexpr int64_t BAND = 64;
#pragma omp parallel
  {
    std::vector<double> column(W);
    std::vector<float> sums(W + 2 * R, 0.0f);  // Zero beyond both ends.
    std::vector<float> widths(W);
    for (int64_t j = 0; j < W; ++j) {
      widths[j] = static_cast<float>(std::min(j + R, W - 1) -
                                     std::max<int64_t>(j - R, 0) + 1);
    }
#pragma omp for schedule(static)
    for (int64_t top = 0; top < H; top += BAND) {
      std::fill(column.begin(), column.end(), 0.0);
      for (int64_t p = std::max<int64_t>(top - R, 0); p < std::min(top + R, H);
           ++p) {
        for (int64_t j = 0; j < W; ++j) column[j] += x[p * W + j];
      }
      for (int64_t i = top; i < std::min(top + BAND, H); ++i) {
        if (i + R < H) {
          const float* in = x + (i + R) * W;
          for (int64_t j = 0; j < W; ++j) column[j] += in[j];
        }
        for (int64_t j = 0; j < W; ++j) {
          sums[j + R] = static_cast<float>(column[j]);
        }
        const float height = static_cast<float>(
            std::min(i + R, H - 1) - std::max<int64_t>(i - R, 0) + 1);
        const float* s = sums.data();
        float* out = y + i * W;
#pragma omp simd
        for (int64_t j = 0; j < W; ++j) {
          const float sum = ((s[j] + s[j + 1]) + (s[j + 2] + s[j + 3])) +
                            ((s[j + 4] + s[j + 5]) + (s[j + 6] + s[j + 7])) +
                            ((s[j + 8] + s[j + 9]) + s[j + 10]);
          out[j] = sum / (height * widths[j]);
        }
        if (i - R >= 0) {
          const float* gone = x + (i - R) * W;
          for (int64_t j = 0; j < W; ++j) column[j] -= gone[j];
        }
      }
    }
  }
}
