// A neighbour at a time for a whole row, so that vectors need no test for the
// border; the weights of the distances are a table; the exponential is a
// polynomial after taking out the power of two, which vectors can do.  Rows on
// all threads.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr int64_t R = 2;

// For x <= 0; relative error 2^-23.  Cephes (Moshier 1989) has the polynomial.
inline float Exponential(float x) {
  const float bounded = std::max(x, -87.0f);
  const float power = std::nearbyint(bounded * 1.44269504f);
  const float r = (bounded - power * 0.693359375f) + power * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const float scale =
      std::bit_cast<float>((static_cast<int32_t>(power) + 127) << 23);
  return x < -87.0f ? 0.0f : p * scale;
}

}  // namespace

extern "C" void run(const float* x, float* y, int64_t H, int64_t W) {
  float by_distance[2 * R * R + 1];
  for (int64_t d = 0; d <= 2 * R * R; ++d) {
    by_distance[d] = static_cast<float>(d) / 4.5f;
  }
#pragma omp parallel
  {
    std::vector<float> sums(W);
    std::vector<float> weights(W);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < H; ++i) {
      float* sum = sums.data();
      float* weight = weights.data();
      const float* centre = x + i * W;
      std::copy(centre, centre + W, sum);  // Its own weight is 1.
      std::fill_n(weight, W, 1.0f);
      for (int64_t p = std::max(-R, -i); p <= std::min(R, H - 1 - i); ++p) {
        for (int64_t q = -R; q <= R; ++q) {
          if (p == 0 && q == 0) continue;
          const float apart = by_distance[p * p + q * q];
          const float* other = centre + p * W + q;
          const int64_t end = std::min(W, W - q);
#pragma omp simd
          for (int64_t j = std::max<int64_t>(0, -q); j < end; ++j) {
            const float difference = other[j] - centre[j];
            const float w =
                Exponential(-apart - difference * difference * 0.5f);
            sum[j] += w * other[j];
            weight[j] += w;
          }
        }
      }
      float* out = y + i * W;
#pragma omp simd
      for (int64_t j = 0; j < W; ++j) out[j] = sum[j] / weight[j];
    }
  }
}
