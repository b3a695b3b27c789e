//@ scratch float h[B * K * H * S * W * S]
//@ launch conv_relu<<<(ceil_div(W * S, 16), ceil_div(H * S, 16), B * K), (16, 16)>>>(x, w, bias, h, int32(H * S), int32(W * S))
//@ launch maxpool<<<(ceil_div(W, 16), ceil_div(H, 16), B * K), (16, 16)>>>(h, y, int32(H), int32(W))

// h[B,K,rows,columns] = relu(3x3 convolution of x with w, zero padding 1)
extern "C" __global__ void conv_relu(const float* x, const float* w,
                                     const float* bias, float* h, int rows,
                                     int columns) {
  constexpr int C = 16;
  constexpr int K = 32;
  constexpr int T = 3;
  int b = blockIdx.z / K;
  int k = blockIdx.z % K;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows && j < columns) {
    float sum = bias[k];
    for (int c = 0; c < C; ++c) {
      for (int p = 0; p < T; ++p) {
        for (int q = 0; q < T; ++q) {
          int row = i + p - 1;
          int column = j + q - 1;
          if (row >= 0 && row < rows && column >= 0 && column < columns) {
            sum += x[((b * C + c) * rows + row) * columns + column] *
                   w[((k * C + c) * T + p) * T + q];
          }
        }
      }
    }
    h[((b * K + k) * rows + i) * columns + j] = fmaxf(sum, 0.0f);
  }
}

// y[B*K,H,W] = 2x2 max-pooling of h
extern "C" __global__ void maxpool(const float* h, float* y, int H, int W) {
  constexpr int S = 2;
  int c = blockIdx.z;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H && j < W) {
    float largest = 0.0f;
    for (int p = 0; p < S; ++p) {
      for (int q = 0; q < S; ++q) {
        largest = fmaxf(largest, h[((c * H + i) * S + p) * W * S + j * S + q]);
      }
    }
    y[(c * H + i) * W + j] = largest;
  }
}
