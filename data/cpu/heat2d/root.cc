#include <cstdint>
#include <vector>

// y[H,W] = x[H,W] after STEPS explicit steps of the heat equation; the border
// keeps its value
extern "C" void run(const float* x, float* y, int64_t H, int64_t W) {
  constexpr int64_t STEPS = 10;
  std::vector<float> next(H * W);
  for (int64_t i = 0; i < H * W; ++i) {
    y[i] = x[i];
    next[i] = x[i];
  }
  for (int64_t t = 0; t < STEPS; ++t) {
    for (int64_t i = 1; i < H - 1; ++i) {
      for (int64_t j = 1; j < W - 1; ++j) {
        next[i * W + j] =
            y[i * W + j] +
            0.1f * (y[(i - 1) * W + j] + y[(i + 1) * W + j] + y[i * W + j - 1] +
                    y[i * W + j + 1] - 4.0f * y[i * W + j]);
      }
    }
    for (int64_t i = 0; i < H * W; ++i) {
      y[i] = next[i];
    }
  }
}
