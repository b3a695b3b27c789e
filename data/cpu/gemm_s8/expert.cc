// Where the processor has VNNI: sums of four products at once, of unsigned by
// signed bytes.  A is made unsigned by adding 128, which adds 128 times the
// sums of B's columns; these begin the accumulators with their negative.  B is
// packed by fours of its rows.  Tiles of 8 x 32 stay in registers; rows on all
// threads.  Elsewhere pairs of 16-bit products, which compilers know.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef __AVX512VNNI__
#include <immintrin.h>

namespace {

constexpr int64_t ROWS = 8;
constexpr int64_t COLUMNS = 32;

}  // namespace

extern "C" void run(const int8_t* A, const int8_t* B, int32_t* C, int64_t M,
                    int64_t N, int64_t K) {
  const int64_t fours = (K + 3) / 4;
  const int64_t strips = (N + COLUMNS - 1) / COLUMNS;
  // By strip of columns, then four rows at a time.
  std::vector<int8_t> packed(strips * fours * COLUMNS * 4, 0);
  std::vector<int32_t> begin(strips * COLUMNS, 0);
  std::vector<uint8_t> left((M + ROWS - 1) / ROWS * ROWS * fours * 4, 0);
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int64_t s = 0; s < strips; ++s) {
      int8_t* out = packed.data() + s * fours * COLUMNS * 4;
      const int64_t width = std::min(COLUMNS, N - s * COLUMNS);
      for (int64_t k = 0; k < K; ++k) {
        const int8_t* in = B + k * N + s * COLUMNS;
        for (int64_t j = 0; j < width; ++j) {
          out[(k / 4 * COLUMNS + j) * 4 + k % 4] = in[j];
          begin[s * COLUMNS + j] -= 128 * in[j];
        }
      }
    }
#pragma omp for schedule(static)
    for (int64_t i = 0; i < M; ++i) {
      for (int64_t k = 0; k < K; ++k) {
        left[i * fours * 4 + k] = static_cast<uint8_t>(A[i * K + k] + 128);
      }
    }
#pragma omp for schedule(static) collapse(2)
    for (int64_t i = 0; i < M; i += ROWS) {
      for (int64_t s = 0; s < strips; ++s) {
        const int8_t* b = packed.data() + s * fours * COLUMNS * 4;
        const uint8_t* a = left.data() + i * fours * 4;
        __m512i sum[ROWS][2];
        for (int64_t r = 0; r < ROWS; ++r) {
          sum[r][0] = _mm512_loadu_si512(begin.data() + s * COLUMNS);
          sum[r][1] = _mm512_loadu_si512(begin.data() + s * COLUMNS + 16);
        }
        for (int64_t k = 0; k < fours; ++k) {
          const __m512i b0 = _mm512_loadu_si512(b + k * COLUMNS * 4);
          const __m512i b1 = _mm512_loadu_si512(b + k * COLUMNS * 4 + 64);
#pragma GCC unroll 8
          for (int64_t r = 0; r < ROWS; ++r) {
            int32_t four;
            std::memcpy(&four, a + (r * fours + k) * 4, sizeof four);
            const __m512i spread = _mm512_set1_epi32(four);
            sum[r][0] = _mm512_dpbusd_epi32(sum[r][0], spread, b0);
            sum[r][1] = _mm512_dpbusd_epi32(sum[r][1], spread, b1);
          }
        }
        const int64_t width = std::min(COLUMNS, N - s * COLUMNS);
        const uint32_t mask = width == COLUMNS ? ~0u : (1u << width) - 1;
        for (int64_t r = 0; r < std::min(ROWS, M - i); ++r) {
          int32_t* out = C + (i + r) * N + s * COLUMNS;
          _mm512_mask_storeu_epi32(out, static_cast<__mmask16>(mask),
                                   sum[r][0]);
          if (width > 16) {
            _mm512_mask_storeu_epi32(
                out + 16, static_cast<__mmask16>(mask >> 16), sum[r][1]);
          }
        }
      }
    }
  }
}

#else

extern "C" void run(const int8_t* A, const int8_t* B, int32_t* C, int64_t M,
                    int64_t N, int64_t K) {
  std::vector<int16_t> turned(N * K);  // B^T
  for (int64_t k = 0; k < K; ++k) {
    for (int64_t j = 0; j < N; ++j) turned[j * K + k] = B[k * N + j];
  }
#pragma omp parallel
  {
    std::vector<int16_t> row(K);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < M; ++i) {
      std::copy(A + i * K, A + (i + 1) * K, row.begin());
      for (int64_t j = 0; j < N; ++j) {
        const int16_t* b = turned.data() + j * K;
        int32_t sum = 0;
        for (int64_t k = 0; k < K; ++k) sum += row[k] * b[k];
        C[i * N + j] = sum;
      }
    }
  }
}

#endif
