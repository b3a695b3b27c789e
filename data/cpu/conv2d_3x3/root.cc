#include <cstdint>

// y[B,K,H,W] = w[K,C,3,3] applied to x[B,C,H,W], stride 1, zero padding 1
extern "C" void run(const float* x, const float* w, float* y, int64_t B,
                    int64_t H, int64_t W) {
  constexpr int64_t C = 16;
  constexpr int64_t K = 16;
  constexpr int64_t S = 3;
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t i = 0; i < H; ++i) {
        for (int64_t j = 0; j < W; ++j) {
          float sum = 0.0f;
          for (int64_t c = 0; c < C; ++c) {
            for (int64_t p = 0; p < S; ++p) {
              for (int64_t q = 0; q < S; ++q) {
                int64_t row = i + p - 1;
                int64_t column = j + q - 1;
                if (row >= 0 && row < H && column >= 0 && column < W) {
                  sum += x[((b * C + c) * H + row) * W + column] *
                         w[((k * C + c) * S + p) * S + q];
                }
              }
            }
          }
          y[((b * K + k) * H + i) * W + j] = sum;
        }
      }
    }
  }
}
