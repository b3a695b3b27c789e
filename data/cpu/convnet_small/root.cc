#include <algorithm>
#include <cstdint>
#include <vector>

// Image classifier: conv3x3 to C1 channels, relu, 2x2 max-pooling, conv3x3 to
// C2 channels, relu, average over the image, linear to Z classes.
// x[B,C0,2H,2W] -> y[B,Z]
extern "C" void run(const float* x, const float* w1, const float* b1,
                    const float* w2, const float* b2, const float* w3,
                    const float* b3, float* y, int64_t B, int64_t H,
                    int64_t W) {
  constexpr int64_t C0 = 3;
  constexpr int64_t C1 = 16;
  constexpr int64_t C2 = 24;
  constexpr int64_t Z = 10;
  constexpr int64_t S = 2;
  constexpr int64_t T = 3;
  int64_t rows = H * S;
  int64_t columns = W * S;
  std::vector<float> h1(B * C1 * rows * columns);
  std::vector<float> pooled(B * C1 * H * W);
  std::vector<float> h2(B * C2 * H * W);
  std::vector<float> means(B * C2);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t k = 0; k < C1; ++k) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          float sum = b1[k];
          for (int64_t c = 0; c < C0; ++c) {
            for (int64_t p = 0; p < T; ++p) {
              for (int64_t q = 0; q < T; ++q) {
                int64_t row = i + p - 1;
                int64_t column = j + q - 1;
                if (row >= 0 && row < rows && column >= 0 && column < columns) {
                  sum += x[((b * C0 + c) * rows + row) * columns + column] *
                         w1[((k * C0 + c) * T + p) * T + q];
                }
              }
            }
          }
          h1[((b * C1 + k) * rows + i) * columns + j] = std::max(sum, 0.0f);
        }
      }
    }
  }
  for (int64_t c = 0; c < B * C1; ++c) {
    for (int64_t i = 0; i < H; ++i) {
      for (int64_t j = 0; j < W; ++j) {
        float largest = h1[(c * rows + i * S) * columns + j * S];
        for (int64_t p = 0; p < S; ++p) {
          for (int64_t q = 0; q < S; ++q) {
            largest = std::max(
                largest, h1[(c * rows + i * S + p) * columns + j * S + q]);
          }
        }
        pooled[(c * H + i) * W + j] = largest;
      }
    }
  }
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t k = 0; k < C2; ++k) {
      for (int64_t i = 0; i < H; ++i) {
        for (int64_t j = 0; j < W; ++j) {
          float sum = b2[k];
          for (int64_t c = 0; c < C1; ++c) {
            for (int64_t p = 0; p < T; ++p) {
              for (int64_t q = 0; q < T; ++q) {
                int64_t row = i + p - 1;
                int64_t column = j + q - 1;
                if (row >= 0 && row < H && column >= 0 && column < W) {
                  sum += pooled[((b * C1 + c) * H + row) * W + column] *
                         w2[((k * C1 + c) * T + p) * T + q];
                }
              }
            }
          }
          h2[((b * C2 + k) * H + i) * W + j] = std::max(sum, 0.0f);
        }
      }
    }
  }
  for (int64_t c = 0; c < B * C2; ++c) {
    float sum = 0.0f;
    for (int64_t i = 0; i < H * W; ++i) {
      sum += h2[c * H * W + i];
    }
    means[c] = sum / static_cast<float>(H * W);
  }
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t z = 0; z < Z; ++z) {
      float sum = b3[z];
      for (int64_t c = 0; c < C2; ++c) {
        sum += means[b * C2 + c] * w3[z * C2 + c];
      }
      y[b * Z + z] = sum;
    }
  }
}
