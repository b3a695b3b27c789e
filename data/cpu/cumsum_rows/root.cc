#include <cstdint>

// y[R,C] = running sums along each row of x[R,C]
extern "C" void run(const float* x, float* y, int64_t R, int64_t C) {
  for (int64_t i = 0; i < R; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < C; ++j) {
      sum += x[i * C + j];
      y[i * C + j] = sum;
    }
  }
}
