#include <cmath>
#include <cstdint>

// y[B,N] = discrete Fourier transform of each row of x[B,N], N = 256; real and
// imaginary parts are apart
extern "C" void run(const float* x_re, const float* x_im, float* y_re,
                    float* y_im, int64_t B) {
  constexpr int64_t N = 256;
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t k = 0; k < N; ++k) {
      float re = 0.0f;
      float im = 0.0f;
      for (int64_t n = 0; n < N; ++n) {
        float angle = -6.28318530718f * static_cast<float>(n * k % N) /
                      static_cast<float>(N);
        float c = cosf(angle);
        float s = sinf(angle);
        re += x_re[b * N + n] * c - x_im[b * N + n] * s;
        im += x_re[b * N + n] * s + x_im[b * N + n] * c;
      }
      y_re[b * N + k] = re;
      y_im[b * N + k] = im;
    }
  }
}
