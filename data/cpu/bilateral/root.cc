#include <cmath>
#include <cstdint>

// y[H,W] = mean of the pixels of x[H,W] within R rows and columns of each, by
// weights that fall off with the distance and with the difference in value
extern "C" void run(const float* x, float* y, int64_t H, int64_t W) {
  constexpr int64_t R = 2;
  for (int64_t i = 0; i < H; ++i) {
    for (int64_t j = 0; j < W; ++j) {
      float sum = 0.0f;
      float weights = 0.0f;
      for (int64_t p = -R; p <= R; ++p) {
        for (int64_t q = -R; q <= R; ++q) {
          int64_t row = i + p;
          int64_t column = j + q;
          if (row >= 0 && row < H && column >= 0 && column < W) {
            float difference = x[row * W + column] - x[i * W + j];
            float apart = static_cast<float>(p * p + q * q);
            float weight = expf(-apart / 4.5f - difference * difference / 2.0f);
            sum += weight * x[row * W + column];
            weights += weight;
          }
        }
      }
      y[i * W + j] = sum / weights;
    }
  }
}
