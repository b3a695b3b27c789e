#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

// Causal self-attention of H heads with output projection:
// q, k, v [L,H,E] = proj_scale * x[L,D] * wq, wk, wv [D,H,E];
// a[L,H,E] = softmax(sm_scale * q * k^T, no later positions) * v, by heads;
// y[L,D] = proj_scale * a * wo[H,E,D]
extern "C" void run(const float* x, const float* wq, const float* wk,
                    const float* wv, const float* wo, float proj_scale,
                    float sm_scale, float* y, int64_t L) {
  constexpr int64_t D = 128;
  constexpr int64_t H = 4;
  constexpr int64_t E = 32;
  constexpr int64_t HE = H * E;
  std::vector<float> q(L * HE);
  std::vector<float> k(L * HE);
  std::vector<float> v(L * HE);
  std::vector<float> p(H * L * L);
  std::vector<float> a(L * HE);
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t e = 0; e < HE; ++e) {
      float sum = 0.0f;
      for (int64_t d = 0; d < D; ++d) {
        sum += x[i * D + d] * wq[d * HE + e];
      }
      q[i * HE + e] = proj_scale * sum;
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t e = 0; e < HE; ++e) {
      float sum = 0.0f;
      for (int64_t d = 0; d < D; ++d) {
        sum += x[i * D + d] * wk[d * HE + e];
      }
      k[i * HE + e] = proj_scale * sum;
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t e = 0; e < HE; ++e) {
      float sum = 0.0f;
      for (int64_t d = 0; d < D; ++d) {
        sum += x[i * D + d] * wv[d * HE + e];
      }
      v[i * HE + e] = proj_scale * sum;
    }
  }
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t i = 0; i < L; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        float sum = 0.0f;
        for (int64_t e = 0; e < E; ++e) {
          sum += q[i * HE + h * E + e] * k[j * HE + h * E + e];
        }
        p[(h * L + i) * L + j] = sm_scale * sum;
      }
    }
  }
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t i = 0; i < L; ++i) {
      float largest = p[(h * L + i) * L];
      for (int64_t j = 0; j <= i; ++j) {
        largest = std::max(largest, p[(h * L + i) * L + j]);
      }
      float sum = 0.0f;
      for (int64_t j = 0; j <= i; ++j) {
        p[(h * L + i) * L + j] = std::exp(p[(h * L + i) * L + j] - largest);
        sum += p[(h * L + i) * L + j];
      }
      for (int64_t j = 0; j <= i; ++j) {
        p[(h * L + i) * L + j] = p[(h * L + i) * L + j] / sum;
      }
    }
  }
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t i = 0; i < L; ++i) {
      for (int64_t e = 0; e < E; ++e) {
        float sum = 0.0f;
        for (int64_t j = 0; j <= i; ++j) {
          sum += p[(h * L + i) * L + j] * v[j * HE + h * E + e];
        }
        a[i * HE + h * E + e] = sum;
      }
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t d = 0; d < D; ++d) {
      float sum = 0.0f;
      for (int64_t e = 0; e < HE; ++e) {
        sum += a[i * HE + e] * wo[e * D + d];
      }
      y[i * D + d] = proj_scale * sum;
    }
  }
}
