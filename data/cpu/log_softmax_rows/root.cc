#include <algorithm>
#include <cmath>
#include <cstdint>

// y[R,C] = log(softmax) of each row of x[R,C]
extern "C" void run(const float* x, float* y, int64_t R, int64_t C) {
  for (int64_t i = 0; i < R; ++i) {
    float largest = x[i * C];
    for (int64_t j = 0; j < C; ++j) {
      largest = std::max(largest, x[i * C + j]);
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < C; ++j) {
      sum += std::exp(x[i * C + j] - largest);
    }
    float log_sum = std::log(sum);
    for (int64_t j = 0; j < C; ++j) {
      y[i * C + j] = x[i * C + j] - largest - log_sum;
    }
  }
}
