// Each column of three is sorted once for the three windows that it is in; the
// median of nine is the median of the greatest of the lows, the median of the
// middles and the least of the highs.  No branches, so that a vector of pixels
// is done at once; rows on all threads.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

inline float Least(float a, float b) { return a < b ? a : b; }
inline float Greatest(float a, float b) { return a < b ? b : a; }
inline float Middle(float a, float b, float c) {
  return Greatest(Least(a, b), Least(Greatest(a, b), c));
}

}  // namespace

extern "C" void run(const float* x, float* y, int64_t H, int64_t W) {
#pragma omp parallel
  {
    // The border repeated at both ends.
    std::vector<float> lows(W + 2);
    std::vector<float> middles(W + 2);
    std::vector<float> highs(W + 2);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < H; ++i) {
      const float* a = x + std::max<int64_t>(i - 1, 0) * W;
      const float* b = x + i * W;
      const float* c = x + std::min(i + 1, H - 1) * W;
      float* low = lows.data();
      float* middle = middles.data();
      float* high = highs.data();
#pragma omp simd
      for (int64_t j = 0; j < W; ++j) {
        low[j + 1] = Least(Least(a[j], b[j]), c[j]);
        middle[j + 1] = Middle(a[j], b[j], c[j]);
        high[j + 1] = Greatest(Greatest(a[j], b[j]), c[j]);
      }
      for (float* row : {low, middle, high}) {
        row[0] = row[1];
        row[W + 1] = row[W];
      }
#pragma omp simd
      for (int64_t j = 0; j < W; ++j) {
        y[i * W + j] =
            Middle(Greatest(Greatest(low[j], low[j + 1]), low[j + 2]),
                   Middle(middle[j], middle[j + 1], middle[j + 2]),
                   Least(Least(high[j], high[j + 1]), high[j + 2]));
      }
    }
  }
}
