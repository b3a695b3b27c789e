// A filter of finite response, as books on signals have it.
#include <cstddef>

void fir(size_t n, size_t taps, const float* x, const float* h, float* y) {
  for (size_t i = 0; i < n; i++) {
    float sum = 0.0f;
    for (size_t k = 0; k < taps; k++) {
      sum += h[k] * x[i + taps - 1 - k];
    }
    y[i] = sum;
  }
}
