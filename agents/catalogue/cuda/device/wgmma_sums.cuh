// A tile's part in shared memory, as the tensor cores of four warps read it:
// lines of 128 bytes, swizzled, of which the next 64 elements across are
// `panel` bytes on.
__device__ unsigned long long Describe(const void* at, unsigned panel) {
  unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(at));
  unsigned long long eight_lines = 1024 >> 4;
  unsigned long long swizzled = 1;
  return (start & 0x3ffff) >> 4 | panel >> 4 << 16 | eight_lines << 32 |
         swizzled << 62;
}

// A block's sums of BM x BN from row `i0` and column `j0` on.  Four warps have
// 64 rows of them, each warp 16, as wgmma lays them out.  Tiles of depth 64
// come through STAGES places in shared memory; while the products of one step
// run, those of the next begin and later tiles are fetched.  LEFT and RIGHT:
// whether that factor's lines go along the fold.
template <int BM, int BN, int STAGES, bool LEFT, bool RIGHT, bool ALIGNED,
          typename T>
__device__ void WarpgroupSums(const Matrix<T>& a, const Matrix<T>& b, int i0,
                              int j0, T* tiles,
                              float (&sums)[1][BN / 8][4]) {
  constexpr int BK = 64;
  constexpr int THREADS = 2 * BM;
  constexpr int AL = LEFT ? BM : BK;
  constexpr int AW = LEFT ? BK : BM;
  constexpr int BL = RIGHT ? BN : BK;
  constexpr int BW = RIGHT ? BK : BN;
  constexpr int STAGE = (BM + BN) * BK;
  constexpr int PANEL = 64 * BK * 2;
  int steps = ((LEFT ? a.length : a.lines) + BK - 1) / BK;
  HeldTile<AL, AW, THREADS> held_a;
  HeldTile<BL, BW, THREADS> held_b;

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

#pragma unroll
  for (int step = 0; step < STAGES - 2; ++step) {
    fetch(step);
    if (!ALIGNED) put(step);
    CommitCopies();
  }
  if (!ALIGNED) fetch(STAGES - 2);
  for (int step = 0; step < steps; ++step) {
    WaitForCopies<STAGES - 3>();
    ShowCopies();
    __syncthreads();
    // All four warps' own 64 rows are a panel or 64 lines.
    const T* left = tiles + step % STAGES * STAGE + threadIdx.x / 128 * 64 * BK;
    const T* right = tiles + step % STAGES * STAGE + BM * BK;
    BeginProducts();
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      MultiplyAsync<!LEFT, !RIGHT>(
          sums[0], Describe(left + (LEFT ? k : k * 64), LEFT ? 16 : PANEL),
          Describe(right + (RIGHT ? k : k * 64), RIGHT ? 16 : PANEL), tiles);
    }
    CommitProducts();
    // The place of two steps ago is free: nobody passed the barrier before
    // its products were done.
    int next = step + STAGES - 2;
    if (ALIGNED) {
      if (next < steps) fetch(next);
    } else {
      if (next < steps) put(next);
      if (next + 1 < steps) fetch(next + 1);
    }
    CommitCopies();
    WaitForProducts<1>();
  }
  WaitForProducts<0>();
#pragma unroll
  for (int n = 0; n < BN / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) Settle(sums[0][n][e]);
  }
  WaitForCopies<0>();
  __syncthreads();
}
