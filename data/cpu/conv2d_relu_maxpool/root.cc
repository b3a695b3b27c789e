#include <algorithm>
#include <cstdint>
#include <vector>

// y[B,K,H,W] = 2x2 max-pooling of relu(conv3x3(x[B,C,2H,2W]) + bias[K])
extern "C" void run(const float* x, const float* w, const float* bias, float* y,
                    int64_t B, int64_t H, int64_t W) {
  constexpr int64_t C = 8;
  constexpr int64_t K = 16;
  constexpr int64_t S = 2;
  constexpr int64_t T = 3;
  int64_t rows = H * S;
  int64_t columns = W * S;
  std::vector<float> h(B * K * rows * columns);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          float sum = bias[k];
          for (int64_t c = 0; c < C; ++c) {
            for (int64_t p = 0; p < T; ++p) {
              for (int64_t q = 0; q < T; ++q) {
                int64_t row = i + p - 1;
                int64_t column = j + q - 1;
                if (row >= 0 && row < rows && column >= 0 && column < columns) {
                  sum += x[((b * C + c) * rows + row) * columns + column] *
                         w[((k * C + c) * T + p) * T + q];
                }
              }
            }
          }
          h[((b * K + k) * rows + i) * columns + j] = sum;
        }
      }
    }
  }
  for (int64_t i = 0; i < B * K * rows * columns; ++i) {
    h[i] = std::max(h[i], 0.0f);
  }
  for (int64_t c = 0; c < B * K; ++c) {
    for (int64_t i = 0; i < H; ++i) {
      for (int64_t j = 0; j < W; ++j) {
        float largest = h[(c * rows + i * S) * columns + j * S];
        for (int64_t p = 0; p < S; ++p) {
          for (int64_t q = 0; q < S; ++q) {
            largest = std::max(largest,
                               h[(c * rows + i * S + p) * columns + j * S + q]);
          }
        }
        y[(c * H + i) * W + j] = largest;
      }
    }
  }
}
