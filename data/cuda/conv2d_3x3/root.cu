//@ launch conv<<<(ceil_div(W, 16), ceil_div(H, 16), B * K), (16, 16)>>>(x, w, y, int32(H), int32(W))

// y[B,K,H,W] = 3x3 convolution of x[B,C,H,W] with w[K,C,S,S], zero padding 1
extern "C" __global__ void conv(const float* x, const float* w, float* y, int H,
                                int W) {
  constexpr int C = 32;
  constexpr int K = 32;
  constexpr int S = 3;
  int b = blockIdx.z / K;
  int k = blockIdx.z % K;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H && j < W) {
    float sum = 0.0f;
    for (int c = 0; c < C; ++c) {
      for (int p = 0; p < S; ++p) {
        for (int q = 0; q < S; ++q) {
          int row = i + p - 1;
          int column = j + q - 1;
          if (row >= 0 && row < H && column >= 0 && column < W) {
            sum += x[((b * C + c) * H + row) * W + column] *
                   w[((k * C + c) * S + p) * S + q];
          }
        }
      }
    }
    y[((b * K + k) * H + i) * W + j] = sum;
  }
}
