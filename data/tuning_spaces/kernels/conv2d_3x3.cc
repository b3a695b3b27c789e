#include <algorithm>
#include <cstdint>
#include <vector>

// KB output channels at a time over a strip of WIDTH columns, CB input channels
// before the next strip; PADDED is 1 if x is copied into zeros first, so that no
// border is asked about; THREADS share the rows.
constexpr int64_t KB = 4;     //@ tune 1 2 4 8 16
constexpr int64_t WIDTH = 16; //@ tune 8 16 32
constexpr int64_t CB = 16;    //@ tune 4 16
constexpr int PADDED = 1;     //@ tune 0 1
constexpr int THREADS = 1;    //@ tune 1 2 4

namespace {
constexpr int64_t C = 16;
constexpr int64_t K = 16;
constexpr int64_t S = 3;
}  // namespace

// y[B,K,H,W] = w[K,C,3,3] applied to x[B,C,H,W], stride 1, zero padding 1
extern "C" void run(const float* x, const float* w, float* y, int64_t B, int64_t H, int64_t W) {
  const int64_t pitch = W + 2 + WIDTH;
  std::vector<float> padded;
  if (PADDED == 1) {
    padded.assign(B * C * (H + 2) * pitch, 0.0f);
    for (int64_t plane = 0; plane < B * C; ++plane) {
      for (int64_t i = 0; i < H; ++i) {
        std::copy_n(x + (plane * H + i) * W, W, padded.data() + (plane * (H + 2) + i + 1) * pitch + 1);
      }
    }
  }
  const float* zeros = padded.data();
#pragma omp parallel for num_threads(THREADS) if (THREADS > 1) schedule(static)
  for (int64_t line = 0; line < B * H; ++line) {
    const int64_t b = line / H;
    const int64_t i = line % H;
    for (int64_t k0 = 0; k0 < K; k0 += KB) {
      for (int64_t j0 = 0; j0 < W; j0 += WIDTH) {
        float sums[KB][WIDTH] = {};
        for (int64_t c0 = 0; c0 < C; c0 += CB) {
          for (int64_t c = c0; c < c0 + CB; ++c) {
            for (int64_t p = 0; p < S; ++p) {
              for (int64_t q = 0; q < S; ++q) {
                if (PADDED == 1) {
                  const float* row = zeros + ((b * C + c) * (H + 2) + i + p) * pitch + j0 + q;
                  for (int64_t k = 0; k < KB; ++k) {
                    const float weight = w[(((k0 + k) * C + c) * S + p) * S + q];
                    for (int64_t j = 0; j < WIDTH; ++j) sums[k][j] += row[j] * weight;
                  }
                } else {
                  const int64_t r = i + p - 1;
                  if (r < 0 || r >= H) continue;
                  const float* row = x + ((b * C + c) * H + r) * W;
                  const int64_t first = std::max<int64_t>(0, 1 - q - j0);
                  const int64_t last = std::min(WIDTH, W + 1 - q - j0);
                  for (int64_t k = 0; k < KB; ++k) {
                    const float weight = w[(((k0 + k) * C + c) * S + p) * S + q];
                    for (int64_t j = first; j < last; ++j) sums[k][j] += row[j0 + j + q - 1] * weight;
                  }
                }
              }
            }
          }
        }
        for (int64_t k = 0; k < KB; ++k) {
          const int64_t count = std::min(WIDTH, W - j0);
          std::copy_n(sums[k], count, y + ((b * K + k0 + k) * H + i) * W + j0);
        }
      }
    }
  }
}
