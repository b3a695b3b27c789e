// Stockham's fast transform, radix 4: four passes over 256 numbers, which are
// in order at the end.  A vector holds the same element of 16 rows in the first
// layout, so that each butterfly is done for all of them; the table of
// twiddles is made once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace {

constexpr int64_t N = 256;
constexpr int64_t LANES = 16;

struct Twiddles {
  float re[N];
  float im[N];
  Twiddles() {
    for (int64_t k = 0; k < N; ++k) {
      const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / N;
      re[k] = static_cast<float>(std::cos(angle));
      im[k] = static_cast<float>(std::sin(angle));
    }
  }
};

// One pass: `length` numbers are still to be transformed, `stride` apart.
void Pass(int64_t length, int64_t stride, const Twiddles& w, const float* re,
          const float* im, float* out_re, float* out_im) {
  const int64_t quarter = length / 4;
  for (int64_t p = 0; p < quarter; ++p) {
    const int64_t turn = p * stride;
    const float r1 = w.re[turn];
    const float i1 = w.im[turn];
    const float r2 = w.re[2 * turn];
    const float i2 = w.im[2 * turn];
    const float r3 = w.re[3 * turn];
    const float i3 = w.im[3 * turn];
    const int64_t from = stride * p * LANES;
    const int64_t apart = stride * quarter * LANES;
    const int64_t to = stride * 4 * p * LANES;
    const int64_t beside = stride * LANES;
#pragma omp simd
    for (int64_t q = 0; q < stride * LANES; ++q) {
      const float ar = re[from + q];
      const float ai = im[from + q];
      const float br = re[from + apart + q];
      const float bi = im[from + apart + q];
      const float cr = re[from + 2 * apart + q];
      const float ci = im[from + 2 * apart + q];
      const float dr = re[from + 3 * apart + q];
      const float di = im[from + 3 * apart + q];
      const float sr = ar + cr;
      const float si = ai + ci;
      const float tr = ar - cr;
      const float ti = ai - ci;
      const float ur = br + dr;
      const float ui = bi + di;
      const float vr = bi - di;  // -i (b - d)
      const float vi = dr - br;
      out_re[to + q] = sr + ur;
      out_im[to + q] = si + ui;
      const float er = tr + vr;
      const float ei = ti + vi;
      out_re[to + beside + q] = er * r1 - ei * i1;
      out_im[to + beside + q] = er * i1 + ei * r1;
      const float fr = sr - ur;
      const float fi = si - ui;
      out_re[to + 2 * beside + q] = fr * r2 - fi * i2;
      out_im[to + 2 * beside + q] = fr * i2 + fi * r2;
      const float gr = tr - vr;
      const float gi = ti - vi;
      out_re[to + 3 * beside + q] = gr * r3 - gi * i3;
      out_im[to + 3 * beside + q] = gr * i3 + gi * r3;
    }
  }
}

}  // namespace

extern "C" void run(const float* x_re, const float* x_im, float* y_re,
                    float* y_im, int64_t B) {
  static const Twiddles twiddles;
  alignas(64) static thread_local float buffer[4][N * LANES];
#pragma omp parallel for schedule(static) if (B > LANES)
  for (int64_t b = 0; b < B; b += LANES) {
    const int64_t rows = std::min(LANES, B - b);
    float* re = buffer[0];
    float* im = buffer[1];
    float* next_re = buffer[2];
    float* next_im = buffer[3];
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t n = 0; n < N; ++n) {
        re[n * LANES + r] = x_re[(b + r) * N + n];
        im[n * LANES + r] = x_im[(b + r) * N + n];
      }
    }
    for (int64_t length = N, stride = 1; length > 1; length /= 4, stride *= 4) {
      Pass(length, stride, twiddles, re, im, next_re, next_im);
      std::swap(re, next_re);
      std::swap(im, next_im);
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t n = 0; n < N; ++n) {
        y_re[(b + r) * N + n] = re[n * LANES + r];
        y_im[(b + r) * N + n] = im[n * LANES + r];
      }
    }
  }
}
