#include <cstdint>

// y[N,M] = transpose of x[M,N]
extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      y[j * M + i] = x[i * N + j];
    }
  }
}
