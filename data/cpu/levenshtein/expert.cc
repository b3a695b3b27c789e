// Bit-parallel (Myers 1999; blocks by Hyyro 2003): 64 cells of a column of the
// table are two words, which say where it rises and falls.  A vector holds
// eight pairs; groups of pairs on all threads.  Letters are 0 to 3.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

constexpr int64_t LANES = 8;
constexpr int64_t LETTERS = 4;
constexpr int64_t BITS = 64;

using Lanes = uint64_t[LANES];

}  // namespace

extern "C" void run(const int8_t* a, const int8_t* b, int32_t* distances,
                    int64_t P, int64_t K, int64_t L) {
  const int64_t blocks = (K + BITS - 1) / BITS;
  const int64_t last = (K - 1) % BITS;  // The bit of a's last letter.
#pragma omp parallel
  {
    std::vector<uint64_t> places(blocks * LETTERS * LANES);
    std::vector<uint64_t> rises(blocks * LANES);
    std::vector<uint64_t> falls(blocks * LANES);
#pragma omp for schedule(static)
    for (int64_t p = 0; p < P; p += LANES) {
      const int64_t pairs = std::min(LANES, P - p);
      std::fill(places.begin(), places.end(), 0);
      for (int64_t r = 0; r < pairs; ++r) {
        for (int64_t i = 0; i < K; ++i) {
          const int64_t letter = a[(p + r) * K + i];
          places[(i / BITS * LETTERS + letter) * LANES + r] |= uint64_t{1}
                                                               << i % BITS;
        }
      }
      std::fill(rises.begin(), rises.end(), ~uint64_t{0});
      std::fill(falls.begin(), falls.end(), 0);
      alignas(64) int64_t distance[LANES];
      std::fill_n(distance, LANES, K);
      for (int64_t j = 0; j < L; ++j) {
        alignas(64) int64_t letter[LANES] = {};
        for (int64_t r = 0; r < pairs; ++r) letter[r] = b[(p + r) * L + j];
        alignas(64) Lanes up;  // What comes in from the row above: 1, and
        alignas(64) Lanes down = {};  // never -1 in the first.
        std::fill_n(up, LANES, 1);
        for (int64_t k = 0; k < blocks; ++k) {
          const uint64_t* equal = places.data() + k * LETTERS * LANES;
          uint64_t* rise = rises.data() + k * LANES;
          uint64_t* fall = falls.data() + k * LANES;
          const int64_t top = k + 1 < blocks ? BITS - 1 : last;
#pragma omp simd
          for (int64_t r = 0; r < LANES; ++r) {
            const uint64_t match = equal[letter[r] * LANES + r];
            const uint64_t vertical = match | fall[r];
            const uint64_t same = match | down[r];
            const uint64_t across =
                (((same & rise[r]) + rise[r]) ^ rise[r]) | same;
            const uint64_t more = fall[r] | ~(across | rise[r]);
            const uint64_t less = rise[r] & across;
            const uint64_t more_in = more << 1 | up[r];
            const uint64_t less_in = less << 1 | down[r];
            rise[r] = less_in | ~(vertical | more_in);
            fall[r] = more_in & vertical;
            up[r] = more >> top & 1;
            down[r] = less >> top & 1;
          }
        }
        for (int64_t r = 0; r < LANES; ++r) {
          distance[r] +=
              static_cast<int64_t>(up[r]) - static_cast<int64_t>(down[r]);
        }
      }
      for (int64_t r = 0; r < pairs; ++r) {
        distances[p + r] = static_cast<int32_t>(distance[r]);
      }
    }
  }
}
