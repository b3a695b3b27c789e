#include <cmath>
#include <cstdint>

// y[R,C] = layer normalisation of each row of x[R,C]
extern "C" void run(const float* x, const float* gamma, const float* beta,
                    float* y, int64_t R, int64_t C) {
  constexpr float kEpsilon = 1e-5f;
  for (int64_t i = 0; i < R; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < C; ++j) {
      sum += x[i * C + j];
    }
    float mean = sum / static_cast<float>(C);
    float squares = 0.0f;
    for (int64_t j = 0; j < C; ++j) {
      squares += (x[i * C + j] - mean) * (x[i * C + j] - mean);
    }
    float variance = squares / static_cast<float>(C);
    float scale = 1.0f / std::sqrt(variance + kEpsilon);
    for (int64_t j = 0; j < C; ++j) {
      y[i * C + j] = (x[i * C + j] - mean) * scale * gamma[j] + beta[j];
    }
  }
}
