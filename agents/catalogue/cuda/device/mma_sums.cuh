// Rows of W elements in shared memory, by pieces of 16 bytes, which are so
// placed that those of eight rows in one column are in different banks.
template <int W>
__device__ int PieceAt(int row, int piece) {
  constexpr int C = W / 8;
  constexpr int R = C < 8 ? 8 / C : 1;
  constexpr int MASK = C < 8 ? C - 1 : 7;
  return (row * C + (piece ^ (row / R & MASK))) * 8;
}

// `lines` times `length` elements; those of a line are neighbours.
template <typename T>
struct Matrix {
  const T* data;
  int origin;
  int stride;
  int lines;
  int length;
};

// Where one thread's piece of a tile is, and how many of its eight elements
// are inside of the matrix.
struct Piece {
  int at;
  int inside;
};

template <int W, typename T>
__device__ Piece PieceOf(const Matrix<T>& m, int line, int place, int t) {
  line += t / (W / 8);
  place += t % (W / 8) * 8;
  int inside = line < m.lines ? min(max(m.length - place, 0), 8) : 0;
  return {inside > 0 ? m.origin + line * m.stride + place : 0, inside};
}

// Starts copying the tile of L lines of W elements; all lines are aligned.
template <int L, int W, int THREADS, typename T>
__device__ void CopyTile(const Matrix<T>& m, int line, int place, T* tile) {
#pragma unroll
  for (int p = 0; p < L * W / 8; p += THREADS) {
    int t = p + threadIdx.x;
    if (L * W / 8 % THREADS == 0 || t < L * W / 8) {
      Piece piece = PieceOf<W>(m, line, place, t);
      CopyPiece(tile + PieceAt<W>(t / (W / 8), t % (W / 8)), m.data + piece.at,
                2 * piece.inside);
    }
  }
}

// The same by way of registers, for lines that are not aligned: each piece is
// in two aligned pieces of memory, `shift` elements after the first's start.
template <int L, int W, int THREADS>
struct HeldTile {
  static constexpr int COUNT = (L * W / 8 + THREADS - 1) / THREADS;
  unsigned words[COUNT][8];
  int shift[COUNT];

  template <typename T>
  __device__ void Fetch(const Matrix<T>& m, int line, int place) {
    int end = m.origin + (m.lines - 1) * m.stride + m.length;
#pragma unroll
    for (int n = 0; n < COUNT; ++n) {
      int t = n * THREADS + threadIdx.x;
      Piece piece = PieceOf<W>(m, line, place, t);
      int first = piece.at / 8 * 8;
      if (piece.inside == 8 && first + 16 <= end) {
        shift[n] = piece.at % 8;
        uint4 low = *reinterpret_cast<const uint4*>(m.data + first);
        uint4 high = *reinterpret_cast<const uint4*>(m.data + first + 8);
        words[n][0] = low.x;
        words[n][1] = low.y;
        words[n][2] = low.z;
        words[n][3] = low.w;
        words[n][4] = high.x;
        words[n][5] = high.y;
        words[n][6] = high.z;
        words[n][7] = high.w;
      } else {
        shift[n] = 0;
        const unsigned short* raw =
            reinterpret_cast<const unsigned short*>(m.data) + piece.at;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          unsigned even = 2 * e < piece.inside ? raw[2 * e] : 0;
          unsigned odd = 2 * e + 1 < piece.inside ? raw[2 * e + 1] : 0;
          words[n][e] = even | odd << 16;
          words[n][e + 4] = 0;
        }
      }
    }
  }

  template <typename T>
  __device__ void Put(T* tile) {
#pragma unroll
    for (int n = 0; n < COUNT; ++n) {
      int t = n * THREADS + threadIdx.x;
      unsigned(&w)[8] = words[n];
      if (shift[n] & 4) {
#pragma unroll
        for (int e = 0; e < 6; ++e) w[e] = w[e + 2];
      }
      if (shift[n] & 2) {
#pragma unroll
        for (int e = 0; e < 5; ++e) w[e] = w[e + 1];
      }
      int bits = (shift[n] & 1) * 16;
      if (L * W / 8 % THREADS == 0 || t < L * W / 8) {
        *reinterpret_cast<uint4*>(tile +
                                  PieceAt<W>(t / (W / 8), t % (W / 8))) =
            make_uint4(__funnelshift_r(w[0], w[1], bits),
                       __funnelshift_r(w[1], w[2], bits),
                       __funnelshift_r(w[2], w[3], bits),
                       __funnelshift_r(w[3], w[4], bits));
      }
    }
  }
};

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
    held_a.Put(tile);
    held_b.Put(tile + BM * BK);
  };
  auto load = [&](int to, int step, int part) {
    const T* tile = tiles + step % STAGES * STAGE;
#pragma unroll
    for (int m = 0; m < WM / 16; ++m) {
      int i = row + 16 * m;
      int at = LEFT ? PieceAt<AW>(i + lines_first, 2 * part + lane / 16)
                    : PieceAt<AW>(16 * part + pieces_first,
                                  i / 8 + lane / 8 % 2);
      LoadMatrices<!LEFT>(fa[to][m], tile + at);
    }
#pragma unroll
    for (int n = 0; n < WN / 16; ++n) {
      int j = column + 16 * n;
      int at = RIGHT ? PieceAt<BW>(j + pieces_first, 2 * part + lane / 8 % 2)
                     : PieceAt<BW>(16 * part + lines_first, j / 8 + lane / 16);
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

// Puts a block's sums into shared memory, in rows of BN and 8 to spread banks.
template <int BN, int WM, int WN>
__device__ void StageSums(const float (&sums)[WM / 16][WN / 8][4],
                          float* staged) {
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  float* own = staged + (warp / (BN / WN) * WM + lane / 4) * (BN + 8) +
               warp % (BN / WN) * WN + lane % 4 * 2;
#pragma unroll
  for (int m = 0; m < WM / 16; ++m) {
#pragma unroll
    for (int n = 0; n < WN / 8; ++n) {
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        *reinterpret_cast<float2*>(own + (16 * m + 4 * e) * (BN + 8) + 8 * n) =
            make_float2(sums[m][n][e], sums[m][n][e + 1]);
      }
    }
  }
}
