// A block's sums of BM x BN from row `i0` and column `j0` on.  Each warp has
// WM x WN of them, as mma.sync lays them out.  Tiles of depth BK come through
// STAGES places in shared memory.  LEFT and RIGHT: whether that factor's lines
// go along the fold.
template <int BM, int BN, int BK, int WM, int WN, int STAGES, bool LEFT,
          bool RIGHT, bool ALIGNED, typename T>
__device__ void TensorSums(const Matrix<T>& a, const Matrix<T>& b, int i0,
                           int j0, T* tiles,
                           float (&sums)[WM / 16][WN / 8][4]) {
  constexpr int THREADS = BM / WM * (BN / WN) * 32;
  constexpr int AL = LEFT ? BM : BK;
  constexpr int AW = LEFT ? BK : BM;
  constexpr int BL = RIGHT ? BN : BK;
  constexpr int BW = RIGHT ? BK : BN;
  constexpr int STAGE = (BM + BN) * BK;
  constexpr int PARTS = BK / 16;
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int row = warp / (BN / WN) * WM;
  int column = warp % (BN / WN) * WN;
  // Lanes go over a tile's lines first, or over its pieces first.
  int lines_first = lane % 16;
  int pieces_first = lane % 8 + lane / 16 * 8;
  int steps = ((LEFT ? a.length : a.lines) + BK - 1) / BK;
  HeldTile<AL, AW, THREADS> held_a;
  HeldTile<BL, BW, THREADS> held_b;
  unsigned fa[2][WM / 16][4];
  unsigned fb[2][WN / 16][4];

  auto fetch = [&](int step) {
    int k = step * BK;
    if (ALIGNED) {
      T* tile = tiles + step % STAGES * STAGE;
      CopyTile<AL, AW, THREADS>(a, LEFT ? i0 : k, LEFT ? k : i0, tile);
      CopyTile<BL, BW, THREADS>(b, RIGHT ? j0 : k, RIGHT ? k : j0,
                                tile + BM * BK);
    } else {
      held_a.Fetch(a, LEFT ? i0 : k, LEFT ? k : i0);
      held_b.Fetch(b, RIGHT ? j0 : k, RIGHT ? k : j0);
    }
  };
  auto put = [&](int step) {
    T* tile = tiles + step % STAGES * STAGE;
    held_a.Put(a, tile);
    held_b.Put(b, tile + BM * BK);
  };
  auto load = [&](int to, int step, int part) {
    const T* tile = tiles + step % STAGES * STAGE;
#pragma unroll
    for (int m = 0; m < WM / 16; ++m) {
      int i = row + 16 * m;
      int at = LEFT ? PieceAt<AL, AW>(i + lines_first, 2 * part + lane / 16)
                    : PieceAt<AL, AW>(16 * part + pieces_first,
                                  i / 8 + lane / 8 % 2);
      LoadMatrices<!LEFT>(fa[to][m], tile + at);
    }
#pragma unroll
    for (int n = 0; n < WN / 16; ++n) {
      int j = column + 16 * n;
      int at = RIGHT ? PieceAt<BL, BW>(j + pieces_first, 2 * part + lane / 8 % 2)
                     : PieceAt<BL, BW>(16 * part + lines_first, j / 8 + lane / 16);
      LoadMatrices<!RIGHT>(fb[to][n], tile + BM * BK + at);
    }
  };

#pragma unroll
  for (int step = 0; step < STAGES - 1; ++step) {
    fetch(step);
    if (!ALIGNED) put(step);
    CommitCopies();
  }
  WaitForCopies<STAGES - 2>();
  __syncthreads();
  load(0, 0, 0);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
      if (part == PARTS - 1) {
        WaitForCopies<STAGES - 2>();
        __syncthreads();
      }
      load((part + 1) % 2, part == PARTS - 1 ? step + 1 : step,
           (part + 1) % PARTS);
      if (part == 0) {
        // What was fetched a step ago has come by now.
        int next = step + STAGES - 1;
        if (!ALIGNED && step > 0 && next <= steps) put(next - 1);
        if (next < steps) fetch(next);
        CommitCopies();
      }
#pragma unroll
      for (int m = 0; m < WM / 16; ++m) {
#pragma unroll
        for (int n = 0; n < WN / 8; ++n) {
          MultiplyAdd(sums[m][n], fa[part % 2][m], fb[part % 2][n / 2][n % 2 * 2],
                      fb[part % 2][n / 2][n % 2 * 2 + 1], tiles);
        }
      }
    }
  }
  WaitForCopies<0>();
  __syncthreads();
}
