#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

// y[L,E] = softmax(sm_scale * q * k^T) * v, where q, k and v are
// proj_scale * x[L,D] times wq, wk and wv [D,E]
extern "C" void run(const float* x, const float* wq, const float* wk,
                    const float* wv, float proj_scale, float sm_scale, float* y,
                    int64_t L) {
  constexpr int64_t D = 128;
  constexpr int64_t E = 64;
  std::vector<float> q(L * E);
  std::vector<float> k(L * E);
  std::vector<float> v(L * E);
  std::vector<float> p(L * L);
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t e = 0; e < E; ++e) {
      float sum = 0.0f;
      for (int64_t d = 0; d < D; ++d) {
        sum += x[i * D + d] * wq[d * E + e];
      }
      q[i * E + e] = proj_scale * sum;
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t e = 0; e < E; ++e) {
      float sum = 0.0f;
      for (int64_t d = 0; d < D; ++d) {
        sum += x[i * D + d] * wk[d * E + e];
      }
      k[i * E + e] = proj_scale * sum;
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t e = 0; e < E; ++e) {
      float sum = 0.0f;
      for (int64_t d = 0; d < D; ++d) {
        sum += x[i * D + d] * wv[d * E + e];
      }
      v[i * E + e] = proj_scale * sum;
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t j = 0; j < L; ++j) {
      float sum = 0.0f;
      for (int64_t e = 0; e < E; ++e) {
        sum += q[i * E + e] * k[j * E + e];
      }
      p[i * L + j] = sm_scale * sum;
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    float largest = p[i * L];
    for (int64_t j = 0; j < L; ++j) {
      largest = std::max(largest, p[i * L + j]);
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < L; ++j) {
      p[i * L + j] = std::exp(p[i * L + j] - largest);
      sum += p[i * L + j];
    }
    for (int64_t j = 0; j < L; ++j) {
      p[i * L + j] = p[i * L + j] / sum;
    }
  }
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t e = 0; e < E; ++e) {
      float sum = 0.0f;
      for (int64_t j = 0; j < L; ++j) {
        sum += p[i * L + j] * v[j * E + e];
      }
      y[i * E + e] = sum;
    }
  }
}
