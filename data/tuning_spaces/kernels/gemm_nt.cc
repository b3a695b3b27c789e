#include <cstdint>

// MR rows of A by NR rows of B at a time, WIDTH of K side by side in each sum;
// TILE rows of B stay in a cache; SWAP is 1 if the loop over B is outside.
constexpr int MR = 4;      //@ tune 1 2 4 8
constexpr int NR = 2;      //@ tune 1 2 4
constexpr int WIDTH = 16;  //@ tune 8 16 32
constexpr int TILE = 200;  //@ tune 20 50 200
constexpr int SWAP = 0;    //@ tune 0 1

namespace {
constexpr int64_t N = 200;
constexpr int64_t K = 256;

template <int ROWS, int COLUMNS>
void Block(const float* A, const float* B, float* C, int64_t i, int64_t j) {
  float sums[ROWS][COLUMNS][WIDTH] = {};
  for (int64_t k = 0; k < K; k += WIDTH) {
    for (int r = 0; r < ROWS; ++r) {
      for (int c = 0; c < COLUMNS; ++c) {
        for (int w = 0; w < WIDTH; ++w) {
          sums[r][c][w] += A[(i + r) * K + k + w] * B[(j + c) * K + k + w];
        }
      }
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    for (int c = 0; c < COLUMNS; ++c) {
      float sum = 0.0f;
      for (int w = 0; w < WIDTH; ++w) sum += sums[r][c][w];
      C[(i + r) * N + j + c] = sum;
    }
  }
}

void Rows(const float* A, const float* B, float* C, int64_t M, int64_t i, int64_t j) {
  if (i + MR <= M) {
    Block<MR, NR>(A, B, C, i, j);
  } else {
    for (int64_t r = i; r < M; ++r) Block<1, NR>(A, B, C, r, j);
  }
}
}  // namespace

static_assert(TILE % NR == 0 && N % TILE == 0 && K % WIDTH == 0);

// C[M,N] = A[M,K] * B[N,K]^T
extern "C" void run(const float* A, const float* B, float* C, int64_t M) {
  for (int64_t tile = 0; tile < N; tile += TILE) {
    if (SWAP == 1) {
      for (int64_t j = tile; j < tile + TILE; j += NR) {
        for (int64_t i = 0; i < M; i += MR) Rows(A, B, C, M, i, j);
      }
    } else {
      for (int64_t i = 0; i < M; i += MR) {
        for (int64_t j = tile; j < tile + TILE; j += NR) Rows(A, B, C, M, i, j);
      }
    }
  }
}
