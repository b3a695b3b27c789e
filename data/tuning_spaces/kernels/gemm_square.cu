// Tiles of BM rows and BN columns a block, by steps of BK; each thread has TM by
// TN of it in registers.  PAD keeps the rows of a tile of A apart in banks;
// STAGES tiles are in shared memory at a time.
constexpr int BM = 64;     //@ tune 32 64 128
constexpr int BN = 64;     //@ tune 32 64 128
constexpr int BK = 16;     //@ tune 8 16
constexpr int TM = 4;      //@ tune 2 4 8
constexpr int TN = 4;      //@ tune 2 4 8
constexpr int PAD = 1;     //@ tune 0 1
constexpr int STAGES = 1;  //@ tune 1 2
//@ launch gemm<<<(ceil_div(N, BN), ceil_div(N, BM)), (BN / TN, BM / TM)>>>(A, B, C, int32(N))

constexpr int THREADS = (BM / TM) * (BN / TN);
static_assert(THREADS >= 64 && THREADS <= 1024);
static_assert(STAGES * BK * (BM + PAD + BN) * 4 <= 48 * 1024);

// C[N,N] = A[N,N] * B[N,N]
extern "C" __global__ void __launch_bounds__(THREADS) gemm(const float* A, const float* B, float* C, int N) {
  __shared__ float a[STAGES][BK][BM + PAD];
  __shared__ float b[STAGES][BK][BN];
  int thread = threadIdx.y * (BN / TN) + threadIdx.x;
  int top = blockIdx.y * BM;
  int left = blockIdx.x * BN;
  float sums[TM][TN] = {};
  auto load = [&](int k0, int stage) {
    for (int i = thread; i < BM * BK; i += THREADS) {
      int row = top + i / BK;
      int k = k0 + i % BK;
      a[stage][i % BK][i / BK] = row < N && k < N ? A[(long long)row * N + k] : 0.0f;
    }
    for (int i = thread; i < BK * BN; i += THREADS) {
      int k = k0 + i / BN;
      int column = left + i % BN;
      b[stage][i / BN][i % BN] = k < N && column < N ? B[(long long)k * N + column] : 0.0f;
    }
  };
  load(0, 0);
  __syncthreads();
  int stage = 0;
  for (int k0 = 0; k0 < N; k0 += BK) {
    int next = STAGES == 2 ? 1 - stage : 0;
    if (STAGES == 2 && k0 + BK < N) load(k0 + BK, next);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float column[TM];
      float row[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) column[i] = a[stage][k][threadIdx.y * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) row[j] = b[stage][k][threadIdx.x + j * (BN / TN)];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += column[i] * row[j];
      }
    }
    __syncthreads();
    if (STAGES == 1 && k0 + BK < N) {
      load(k0 + BK, 0);
      __syncthreads();
    }
    stage = next;
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      int row = top + threadIdx.y * TM + i;
      int column = left + threadIdx.x + j * (BN / TN);
      if (row < N && column < N) C[(long long)row * N + column] = sums[i][j];
    }
  }
}
