#include <algorithm>
#include <cstdint>

// y[P,H,W] = largest of the 3x3 window around each pixel of x[P,H,W]
extern "C" void run(const float* x, float* y, int64_t P, int64_t H, int64_t W) {
  for (int64_t c = 0; c < P; ++c) {
    for (int64_t i = 0; i < H; ++i) {
      for (int64_t j = 0; j < W; ++j) {
        float largest = x[(c * H + i) * W + j];
        for (int64_t p = 0; p < 3; ++p) {
          for (int64_t q = 0; q < 3; ++q) {
            int64_t row = i + p - 1;
            int64_t column = j + q - 1;
            if (row >= 0 && row < H && column >= 0 && column < W) {
              largest = std::max(largest, x[(c * H + row) * W + column]);
            }
          }
        }
        y[(c * H + i) * W + j] = largest;
      }
    }
  }
}
