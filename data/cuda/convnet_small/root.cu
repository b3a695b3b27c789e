//@ scratch float h1[B * C1 * H * S * W * S]
//@ scratch float pooled[B * C1 * H * W]
//@ scratch float h2[B * C2 * H * W]
//@ scratch float means[B * C2]
//@ launch conv1<<<(ceil_div(W * S, 16), ceil_div(H * S, 16), B * C1), (16, 16)>>>(x, w1, b1, h1, int32(H * S), int32(W * S))
//@ launch maxpool<<<(ceil_div(W, 16), ceil_div(H, 16), B * C1), (16, 16)>>>(h1, pooled, int32(H), int32(W))
//@ launch conv2<<<(ceil_div(W, 16), ceil_div(H, 16), B * C2), (16, 16)>>>(pooled, w2, b2, h2, int32(H), int32(W))
//@ launch average<<<ceil_div(B * C2, 128), 128>>>(h2, means, int32(B * C2), int32(H * W))
//@ launch linear<<<ceil_div(B * Z, 128), 128>>>(means, w3, b3, y, int32(B))

// h1[B,C1,rows,columns] = relu(3x3 convolution of x, zero padding 1)
extern "C" __global__ void conv1(const float* x, const float* w1,
                                 const float* b1, float* h1, int rows,
                                 int columns) {
  constexpr int C0 = 3;
  constexpr int C1 = 16;
  constexpr int T = 3;
  int b = blockIdx.z / C1;
  int k = blockIdx.z % C1;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows && j < columns) {
    float sum = b1[k];
    for (int c = 0; c < C0; ++c) {
      for (int p = 0; p < T; ++p) {
        for (int q = 0; q < T; ++q) {
          int row = i + p - 1;
          int column = j + q - 1;
          if (row >= 0 && row < rows && column >= 0 && column < columns) {
            sum += x[((b * C0 + c) * rows + row) * columns + column] *
                   w1[((k * C0 + c) * T + p) * T + q];
          }
        }
      }
    }
    h1[((b * C1 + k) * rows + i) * columns + j] = fmaxf(sum, 0.0f);
  }
}

// pooled[B*C1,H,W] = 2x2 max-pooling of h1
extern "C" __global__ void maxpool(const float* h1, float* pooled, int H,
                                   int W) {
  constexpr int S = 2;
  int c = blockIdx.z;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H && j < W) {
    float largest = 0.0f;
    for (int p = 0; p < S; ++p) {
      for (int q = 0; q < S; ++q) {
        largest = fmaxf(largest, h1[((c * H + i) * S + p) * W * S + j * S + q]);
      }
    }
    pooled[(c * H + i) * W + j] = largest;
  }
}

// h2[B,C2,H,W] = relu(3x3 convolution of pooled, zero padding 1)
extern "C" __global__ void conv2(const float* pooled, const float* w2,
                                 const float* b2, float* h2, int H, int W) {
  constexpr int C1 = 16;
  constexpr int C2 = 24;
  constexpr int T = 3;
  int b = blockIdx.z / C2;
  int k = blockIdx.z % C2;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H && j < W) {
    float sum = b2[k];
    for (int c = 0; c < C1; ++c) {
      for (int p = 0; p < T; ++p) {
        for (int q = 0; q < T; ++q) {
          int row = i + p - 1;
          int column = j + q - 1;
          if (row >= 0 && row < H && column >= 0 && column < W) {
            sum += pooled[((b * C1 + c) * H + row) * W + column] *
                   w2[((k * C1 + c) * T + p) * T + q];
          }
        }
      }
    }
    h2[((b * C2 + k) * H + i) * W + j] = fmaxf(sum, 0.0f);
  }
}

// means[N] = average of each of N planes
extern "C" __global__ void average(const float* h2, float* means, int N,
                                   int size) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < N) {
    float sum = 0.0f;
    for (int i = 0; i < size; ++i) {
      sum += h2[c * size + i];
    }
    means[c] = sum / size;
  }
}

// y[B,Z] = means[B,C2] * w3[Z,C2]^T + b3[Z]
extern "C" __global__ void linear(const float* means, const float* w3,
                                  const float* b3, float* y, int B) {
  constexpr int C2 = 24;
  constexpr int Z = 10;
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < B * Z) {
    float sum = b3[at % Z];
    for (int c = 0; c < C2; ++c) {
      sum += means[at / Z * C2 + c] * w3[at % Z * C2 + c];
    }
    y[at] = sum;
  }
}
