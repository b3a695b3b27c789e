#include <algorithm>
#include <cstdint>

// Tiles of ROWS by COLUMNS, each of blocks of INNER; DOWN is 1 if the inner loop
// goes down a column of x, so that what is written is contiguous; OUTER is 1 if
// tiles follow each other down.
constexpr int64_t ROWS = 64;     //@ tune 8 16 32 64 128
constexpr int64_t COLUMNS = 64;  //@ tune 8 16 32 64 128
constexpr int64_t INNER = 8;     //@ tune 4 8 16
constexpr int DOWN = 1;          //@ tune 0 1
constexpr int OUTER = 0;         //@ tune 0 1

namespace {
void Block(const float* x, float* y, int64_t M, int64_t N, int64_t i0, int64_t j0) {
  if (i0 + INNER <= M && j0 + INNER <= N) {
    float block[INNER][INNER];
    for (int64_t i = 0; i < INNER; ++i) {
      for (int64_t j = 0; j < INNER; ++j) {
        if (DOWN == 1) {
          block[j][i] = x[(i0 + i) * N + j0 + j];
        } else {
          block[i][j] = x[(i0 + i) * N + j0 + j];
        }
      }
    }
    for (int64_t j = 0; j < INNER; ++j) {
      for (int64_t i = 0; i < INNER; ++i) {
        y[(j0 + j) * M + i0 + i] = DOWN == 1 ? block[j][i] : block[i][j];
      }
    }
    return;
  }
  for (int64_t i = i0; i < std::min(M, i0 + INNER); ++i) {
    for (int64_t j = j0; j < std::min(N, j0 + INNER); ++j) y[j * M + i] = x[i * N + j];
  }
}

void Tile(const float* x, float* y, int64_t M, int64_t N, int64_t i0, int64_t j0) {
  for (int64_t i = i0; i < std::min(M, i0 + ROWS); i += INNER) {
    for (int64_t j = j0; j < std::min(N, j0 + COLUMNS); j += INNER) Block(x, y, M, N, i, j);
  }
}
}  // namespace

static_assert(ROWS >= INNER && COLUMNS >= INNER);

// y[N,M] = transpose of x[M,N]
extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  if (OUTER == 1) {
    for (int64_t j = 0; j < N; j += COLUMNS) {
      for (int64_t i = 0; i < M; i += ROWS) Tile(x, y, M, N, i, j);
    }
  } else {
    for (int64_t i = 0; i < M; i += ROWS) {
      for (int64_t j = 0; j < N; j += COLUMNS) Tile(x, y, M, N, i, j);
    }
  }
}
