// L rows of W elements in shared memory, by pieces of 16 bytes, which are so
// placed that those of eight rows in one column are in different banks.  Wide
// rows are in panels of 64 elements, one behind the other.
template <int L, int W>
__device__ int PieceAt(int row, int piece) {
  constexpr int C = W < 64 ? W / 8 : 8;
  constexpr int R = 8 / C;
  int panel = piece / C * L;
  return ((panel + row) * C + (piece % C ^ (row / R & (C - 1)))) * 8;
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
      CopyPiece(tile + PieceAt<L, W>(t / (W / 8), t % (W / 8)), m.data + piece.at,
                2 * piece.inside);
    }
  }
}

// The same by way of registers, for lines that are not aligned: each piece is
// in two aligned pieces of memory, at % 8 elements after the first's start.
template <int L, int W, int THREADS>
struct HeldTile {
  static constexpr int COUNT = (L * W / 8 + THREADS - 1) / THREADS;
  unsigned words[COUNT][8];
  Piece pieces[COUNT];

  template <typename T>
  static __device__ int EndOf(const Matrix<T>& m) {
    return m.origin + (m.lines - 1) * m.stride + m.length;
  }

  // Without a branch, since where one ends the loads would be waited for.
  template <typename T>
  __device__ void Fetch(const Matrix<T>& m, int line, int place) {
#pragma unroll
    for (int n = 0; n < COUNT; ++n) {
      pieces[n] = PieceOf<W>(m, line, place, n * THREADS + threadIdx.x);
      int first = pieces[n].at / 8 * 8;
      LoadPieces(words[n], m.data + first, first + 16 <= EndOf(m));
    }
  }

  template <typename T>
  __device__ void Put(const Matrix<T>& m, T* tile) {
#pragma unroll
    for (int n = 0; n < COUNT; ++n) {
      int t = n * THREADS + threadIdx.x;
      int at = pieces[n].at;
      int inside = pieces[n].inside;
      unsigned(&w)[8] = words[n];
      if (at / 8 * 8 + 16 > EndOf(m)) {  // The last ones, one by one.
        const unsigned short* raw =
            reinterpret_cast<const unsigned short*>(m.data);
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          int even = at / 8 * 8 + 2 * e;
          unsigned low = even < EndOf(m) ? raw[even] : 0;
          unsigned high = even + 1 < EndOf(m) ? raw[even + 1] : 0;
          w[e] = low | high << 16;
        }
      }
      if (at & 4) {
#pragma unroll
        for (int e = 0; e < 6; ++e) w[e] = w[e + 2];
      }
      if (at & 2) {
#pragma unroll
        for (int e = 0; e < 5; ++e) w[e] = w[e + 1];
      }
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        w[e] = __funnelshift_r(w[e], w[e + 1], (at & 1) * 16);
        if (inside < 2 * e + 2) w[e] &= inside > 2 * e ? 0xffff : 0;
      }
      if (L * W / 8 % THREADS == 0 || t < L * W / 8) {
        *reinterpret_cast<uint4*>(tile + PieceAt<L, W>(t / (W / 8),
                                                       t % (W / 8))) =
            make_uint4(w[0], w[1], w[2], w[3]);
      }
    }
  }
};
