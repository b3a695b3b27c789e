#include <cstdint>

// y[H,W] = median of the 3x3 pixels of x[H,W] around each, the border repeated
extern "C" void run(const float* x, float* y, int64_t H, int64_t W) {
  for (int64_t i = 0; i < H; ++i) {
    for (int64_t j = 0; j < W; ++j) {
      float window[9];
      for (int64_t p = 0; p < 3; ++p) {
        for (int64_t q = 0; q < 3; ++q) {
          int64_t row = i + p - 1;
          int64_t column = j + q - 1;
          row = row < 0 ? 0 : row;
          row = row > H - 1 ? H - 1 : row;
          column = column < 0 ? 0 : column;
          column = column > W - 1 ? W - 1 : column;
          window[p * 3 + q] = x[row * W + column];
        }
      }
      // Insertion sort.
      for (int64_t a = 1; a < 9; ++a) {
        float value = window[a];
        int64_t b = a;
        while (b > 0 && window[b - 1] > value) {
          window[b] = window[b - 1];
          b -= 1;
        }
        window[b] = value;
      }
      y[i * W + j] = window[4];
    }
  }
}
