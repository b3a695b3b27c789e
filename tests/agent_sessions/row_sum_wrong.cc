#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t R, int64_t C) {
  for (int64_t i = 0; i < R; ++i) y[i] = x[i * C];
}
