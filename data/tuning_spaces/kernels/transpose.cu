// A tile through shared memory: TILE columns and rows of it, of which a thread
// moves TILE / ROWS.  PAD keeps columns apart in banks; SWAP sends
// successive blocks down columns; HINT is 1 for stores that caches need not keep.
constexpr int TILE = 32;  //@ tune 8 16 32 64
constexpr int ROWS = 8;   //@ tune 1 2 4 8 16 32
constexpr int PAD = 1;    //@ tune 0 1 2
constexpr int SWAP = 0;   //@ tune 0 1
constexpr int HINT = 0;   //@ tune 0 1
//@ launch transpose<<<(ceil_div(C, TILE), ceil_div(R, TILE)), (TILE, ROWS)>>>(x, y, int32(R), int32(C))

static_assert(ROWS <= TILE && TILE * ROWS <= 1024 && TILE * ROWS >= 32);

// y[C,R] = x[R,C]^T
extern "C" __global__ void transpose(const float* x, float* y, int R, int C) {
  __shared__ float tile[TILE][TILE + PAD];
  int across = blockIdx.x;
  int down = blockIdx.y;
  if (SWAP == 1) {  // Blocks that follow each other go down columns.
    int number = blockIdx.y * gridDim.x + blockIdx.x;
    across = number / gridDim.y;
    down = number % gridDim.y;
  }
  int column = across * TILE + threadIdx.x;
#pragma unroll
  for (int r = threadIdx.y; r < TILE; r += ROWS) {
    int row = down * TILE + r;
    if (row < R && column < C) {
      tile[r][threadIdx.x] = x[(long long)row * C + column];
    }
  }
  __syncthreads();
  int row = down * TILE + threadIdx.x;
#pragma unroll
  for (int r = threadIdx.y; r < TILE; r += ROWS) {
    int to = across * TILE + r;
    if (to < C && row < R) {
      float* at = &y[(long long)to * R + row];
      if (HINT == 1) {
        __stcs(at, tile[threadIdx.x][r]);
      } else {
        *at = tile[threadIdx.x][r];
      }
    }
  }
}
