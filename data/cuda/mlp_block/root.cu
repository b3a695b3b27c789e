//@ scratch float n[L * D]
//@ scratch float h[L * F]
//@ launch rmsnorm<<<ceil_div(L, 128), 128>>>(x, g, n, int32(L))
//@ launch up<<<(ceil_div(F, 16), ceil_div(L, 16)), (16, 16)>>>(n, w1, b1, s1, h, int32(L))
//@ launch down<<<(ceil_div(D, 16), ceil_div(L, 16)), (16, 16)>>>(h, w2, b2, s2, x, y, int32(L))

// n[L,D] = x[L,D] / rms(x) * g[D], by rows
extern "C" __global__ void rmsnorm(const float* x, const float* g, float* n,
                                   int L) {
  constexpr int D = 512;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < L) {
    float squares = 0.0f;
    for (int d = 0; d < D; ++d) {
      squares += x[i * D + d] * x[i * D + d];
    }
    float scale = 1.0f / sqrtf(squares / D + 1e-6f);
    for (int d = 0; d < D; ++d) {
      n[i * D + d] = x[i * D + d] * scale * g[d];
    }
  }
}

// h[L,F] = gelu(s1 * n[L,D] * w1[D,F] + b1[F]), tanh form
extern "C" __global__ void up(const float* n, const float* w1, const float* b1,
                              float s1, float* h, int L) {
  constexpr int D = 512;
  constexpr int F = 2048;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < L && f < F) {
    float sum = 0.0f;
    for (int d = 0; d < D; ++d) {
      sum += n[i * D + d] * w1[d * F + f];
    }
    float z = s1 * sum + b1[f];
    float inner = 0.7978845608f * (z + 0.044715f * z * z * z);
    h[i * F + f] = 0.5f * z * (1.0f + tanhf(inner));
  }
}

// y[L,D] = x + s2 * h[L,F] * w2[F,D] + b2[D]
extern "C" __global__ void down(const float* h, const float* w2,
                                const float* b2, float s2, const float* x,
                                float* y, int L) {
  constexpr int D = 512;
  constexpr int F = 2048;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int d = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < L && d < D) {
    float sum = 0.0f;
    for (int f = 0; f < F; ++f) {
      sum += h[i * F + f] * w2[f * D + d];
    }
    y[i * D + d] = x[i * D + d] + s2 * sum + b2[d];
  }
}
