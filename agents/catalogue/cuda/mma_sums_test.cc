// Enough of a CUDA device to run device/mma_sums.cuh and device/wgmma_sums.cuh
// on host threads: one block, its warps' instructions as PTX lays out their
// fragments and matrices, and copies that come as late as they may.  One kernel
// at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace coppice::agents::catalogue::cuda::emulation {

using std::max;
using std::min;

struct uint4 {
  unsigned x, y, z, w;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
struct float2 {
  float x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }

inline unsigned __funnelshift_r(unsigned low, unsigned high, int by) {
  return by == 0 ? low : low >> by | high << (32 - by);
}

struct ThreadIndex3 {
  int x = 0;
};
inline thread_local ThreadIndex3 threadIdx;

struct EmulatedWarp {
  std::barrier<> together{32};
  const char* rows[32] = {};
  unsigned a[32][4] = {};
  unsigned b[32][2] = {};
};

struct EmulatedBlock {
  explicit EmulatedBlock(int threads) : together(threads) {
    for (int w = 0; w < threads / 32; ++w) {
      warps.push_back(std::make_unique<EmulatedWarp>());
    }
  }
  std::barrier<> together;
  std::vector<std::unique_ptr<EmulatedWarp>> warps;
};
inline EmulatedBlock* emulated_block = nullptr;
inline EmulatedWarp& OwnWarp() {
  return *emulated_block->warps[static_cast<std::size_t>(threadIdx.x / 32)];
}

// What no device would do: an address that is not aligned, a bank met twice.
inline std::atomic<int> emulated_faults = 0;
inline void MustBe(bool good) { emulated_faults += good ? 0 : 1; }

inline void __syncthreads() { emulated_block->together.arrive_and_wait(); }

struct EmulatedCopy {
  char* to;
  const char* from;
  std::size_t bytes;
};
inline thread_local std::deque<std::vector<EmulatedCopy>> copy_groups;
inline thread_local std::vector<EmulatedCopy> open_group;

inline bool IsAligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

template <typename T>
void CopyPiece(T* to, const T* from, int bytes) {
  MustBe(IsAligned(to) && IsAligned(from));
  open_group.push_back({reinterpret_cast<char*>(to),
                        reinterpret_cast<const char*>(from),
                        static_cast<std::size_t>(bytes)});
}

inline void CommitCopies() {
  copy_groups.push_back(std::move(open_group));
  open_group.clear();
}

template <int GROUPS>
void WaitForCopies() {
  for (; copy_groups.size() > GROUPS; copy_groups.pop_front()) {
    for (const EmulatedCopy& copy : copy_groups.front()) {
      std::memset(copy.to, 0, 16);
      std::memcpy(copy.to, copy.from, copy.bytes);
    }
  }
}

template <typename T>
void LoadPieces(unsigned (&w)[8], const T* from, bool wanted) {
  MustBe(IsAligned(from));
  std::fill_n(w, 8, 0);
  if (wanted) std::memcpy(w, from, 32);
}

// PTX ISA, ldmatrix: lane l gets elements 2 (l % 4) and the next of row l / 4;
// transposed, of column l / 4.
template <bool TRANSPOSED, typename T>
void LoadMatrices(unsigned (&r)[4], const T* row) {
  const int lane = threadIdx.x % 32;
  EmulatedWarp& warp = OwnWarp();
  MustBe(IsAligned(row));
  warp.rows[lane] = reinterpret_cast<const char*>(row);
  warp.together.arrive_and_wait();
  for (int m = 0; m < 4; ++m) {
    unsigned banks = 0;
    for (int i = 0; i < 8; ++i) {
      const auto at = reinterpret_cast<std::uintptr_t>(warp.rows[8 * m + i]);
      banks |= 1U << (at / 16 % 8);
    }
    MustBe(banks == 255);
    std::uint16_t pair[2];
    for (int e = 0; e < 2; ++e) {
      const int along = lane % 4 * 2 + e;
      const int in_row = TRANSPOSED ? along : lane / 4;
      const int in_column = TRANSPOSED ? lane / 4 : along;
      std::memcpy(&pair[e], warp.rows[8 * m + in_row] + 2 * in_column, 2);
    }
    r[m] = pair[0] | static_cast<unsigned>(pair[1]) << 16;
  }
  warp.together.arrive_and_wait();
}

inline float ElementOf(unsigned word, int which) {
  return static_cast<std::int16_t>(word >> (16 * which));
}

// PTX ISA, fragments of mma.m16n8k16 for elements of 16 bits, which are whole
// numbers here.
inline void MultiplyAdd(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                        unsigned b1, const std::int16_t*) {
  const int lane = threadIdx.x % 32;
  EmulatedWarp& warp = OwnWarp();
  std::copy_n(a, 4, warp.a[lane]);
  warp.b[lane][0] = b0;
  warp.b[lane][1] = b1;
  warp.together.arrive_and_wait();
  for (int e = 0; e < 4; ++e) {
    const int row = lane / 4 + e / 2 * 8;
    const int column = lane % 4 * 2 + e % 2;
    for (int k = 0; k < 16; ++k) {
      const int pair = k % 8 / 2;
      c[e] +=
          ElementOf(warp.a[row % 8 * 4 + pair][row / 8 + k / 8 * 2], k % 2) *
          ElementOf(warp.b[column * 4 + pair][k / 8], k % 2);
    }
  }
  warp.together.arrive_and_wait();
}

// Shared memory: where it begins, so that addresses in it are known.
inline const char* emulated_shared = nullptr;
inline std::size_t __cvta_generic_to_shared(const void* at) {
  return static_cast<std::size_t>(static_cast<const char*>(at) -
                                  emulated_shared);
}

// Products of four warps, which are made at once, or as late as they may be.
inline std::atomic<bool> products_come_late = false;
using EmulatedProducts = std::vector<std::function<void()>>;
inline thread_local std::deque<EmulatedProducts> product_groups;
inline thread_local EmulatedProducts open_products;

inline void ShowCopies() {}
inline void BeginProducts() {}
inline void Settle(float&) {}

inline void CommitProducts() {
  product_groups.push_back(std::move(open_products));
  open_products.clear();
}

template <int GROUPS>
void WaitForProducts() {
  for (; product_groups.size() > GROUPS; product_groups.pop_front()) {
    for (const auto& product : product_groups.front()) product();
  }
}

// PTX ISA, matrix descriptors with 128 bytes swizzled: element (place, k),
// where place is a row of the left factor or a column of the right one.
// Along k, eight lines of 128 bytes are `stride` before the next eight.
// Across, a line has 64 places, the next 64 are `lead` on, and eight lines are
// eight k.  Bits 7 to 9 of an address are added to bits 4 to 6.
inline float DescribedElement(unsigned long long descriptor, bool across,
                              int place, int k) {
  MustBe(descriptor >> 62 == 1);
  const auto field = [&](int from) {
    return static_cast<int>(descriptor >> from & 0x3fff) * 16;
  };
  const int lead = field(16);
  const int stride = field(32);
  int at = field(0) + (across ? place / 64 * lead + place % 64 * 2 +
                                    k / 8 * stride + k % 8 * 128
                              : place / 8 * stride + place % 8 * 128 + k * 2);
  at ^= at >> 3 & 0x70;
  std::int16_t element;
  std::memcpy(&element, emulated_shared + at, 2);
  return element;
}

// PTX ISA, accumulator of wgmma.m64nNk16: warp w of four has rows 16 w.
template <int A_ACROSS, int B_ACROSS, int COUNT>
void MultiplyAsync(float (&d)[COUNT][4], unsigned long long a,
                   unsigned long long b, const std::int16_t*) {
  const int thread = threadIdx.x % 128;
  const auto product = [&d, a, b, thread] {
    for (int n = 0; n < COUNT; ++n) {
      for (int e = 0; e < 4; ++e) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + e / 2 * 8;
        const int column = 8 * n + thread % 4 * 2 + e % 2;
        for (int k = 0; k < 16; ++k) {
          d[n][e] += DescribedElement(a, A_ACROSS, row, k) *
                     DescribedElement(b, B_ACROSS, column, k);
        }
      }
    }
  };
  if (products_come_late) {
    open_products.push_back(product);
  } else {
    product();
  }
}

// Runs `kernel` as a block of so many threads.
template <typename Kernel>
void RunBlock(int threads, const Kernel& kernel) {
  EmulatedBlock block(threads);
  emulated_block = &block;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      threadIdx.x = t;
      kernel();
    });
  }
  for (std::thread& one : all) one.join();
}

#define __device__
#include "agents/catalogue/cuda/device/tiles.cuh"
//
#include "agents/catalogue/cuda/device/mma_sums.cuh"
#include "agents/catalogue/cuda/device/stage_sums.cuh"
#include "agents/catalogue/cuda/device/wgmma_sums.cuh"
#undef __device__

namespace {

using Element = std::int16_t;  // Sums of small whole numbers are exact.

// A matrix whose lines lie so far apart, within memory that has no more.
struct Lines {
  Lines(int lines, int length, int stride, int seed)
      : at(new (std::align_val_t(16)) Element[Size(lines, length, stride)]),
        matrix{at, 0, stride, lines, length} {
    for (std::size_t i = 0; i < Size(lines, length, stride); ++i) {
      at[i] = static_cast<Element>(
          (i * i + i * 7 + i / 5 + static_cast<std::size_t>(seed)) % 13 - 6);
    }
  }
  ~Lines() { operator delete[](at, std::align_val_t(16)); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  static std::size_t Size(int lines, int length, int stride) {
    return static_cast<std::size_t>((lines - 1) * stride + length);
  }
  float At(int line, int place) const {
    return at[line * matrix.stride + place];
  }

  Element* at;
  Matrix<Element> matrix;
};

// By mma.sync, four warps of 32 x 32.
struct ByWarps {
  static constexpr int BM = 64, BN = 64, BK = 32, STAGES = 3;
  template <bool LEFT, bool RIGHT, bool ALIGNED>
  static void Sum(const Matrix<Element>& a, const Matrix<Element>& b, int i0,
                  int j0, Element* tiles, float* staged) {
    float sums[2][4][4] = {};
    TensorSums<BM, BN, BK, 32, 32, STAGES, LEFT, RIGHT, ALIGNED>(a, b, i0, j0,
                                                                 tiles, sums);
    StageSums<BN, 32, 32>(sums, staged);
  }
};

// By wgmma, twice four warps; columns are in two panels.
template <int kStages>
struct ByWarpgroups {
  static constexpr int BM = 128, BN = 128, BK = 64, STAGES = kStages;
  template <bool LEFT, bool RIGHT, bool ALIGNED>
  static void Sum(const Matrix<Element>& a, const Matrix<Element>& b, int i0,
                  int j0, Element* tiles, float* staged) {
    float sums[1][BN / 8][4] = {};
    WarpgroupSums<BM, BN, STAGES, LEFT, RIGHT, ALIGNED>(a, b, i0, j0, tiles,
                                                        sums);
    StageSums<BN, 16, BN>(sums, staged);
  }
};

// How many of the sums of the block from (i0, j0) on are not those of the
// definition; outside of the matrices they are 0.
template <bool LEFT, bool RIGHT, bool ALIGNED, typename Way = ByWarps>
int WrongSums(int rows, int columns, int depth, int pad, int i0, int j0) {
  constexpr int BM = Way::BM, BN = Way::BN;
  const Lines a(LEFT ? rows : depth, LEFT ? depth : rows,
                (LEFT ? depth : rows) + pad, 1);
  const Lines b(RIGHT ? columns : depth, RIGHT ? depth : columns,
                (RIGHT ? depth : columns) + pad, 2);
  alignas(1024) static Element tiles[Way::STAGES * (BM + BN) * Way::BK];
  static float staged[BM * (BN + 8)];
  std::fill(std::begin(tiles), std::end(tiles), Element{99});
  emulated_shared = reinterpret_cast<const char*>(tiles);
  RunBlock(2 * BM, [&] {
    Way::template Sum<LEFT, RIGHT, ALIGNED>(a.matrix, b.matrix, i0, j0, tiles,
                                            staged);
  });
  int wrong = 0;
  for (int i = 0; i < BM; ++i) {
    for (int j = 0; j < BN; ++j) {
      float sum = 0.0F;
      for (int k = 0; k < depth && i0 + i < rows && j0 + j < columns; ++k) {
        sum += (LEFT ? a.At(i0 + i, k) : a.At(k, i0 + i)) *
               (RIGHT ? b.At(j0 + j, k) : b.At(k, j0 + j));
      }
      wrong += staged[i * (BN + 8) + j] == sum ? 0 : 1;
    }
  }
  return wrong;
}

// 200 is no multiple of a tile's depth, and 7 steps are more than the stages.
TEST(MmaSumsTest, AlignedLinesComeByAsynchronousCopies) {
  EXPECT_EQ((WrongSums<true, false, true>(72, 136, 200, 0, 64, 128)), 0);
  EXPECT_EQ((WrongSums<true, true, true>(72, 136, 200, 0, 64, 64)), 0);
  EXPECT_EQ((WrongSums<false, false, true>(72, 136, 200, 0, 0, 128)), 0);
  EXPECT_EQ((WrongSums<false, true, true>(72, 136, 200, 0, 0, 0)), 0);
  EXPECT_EQ(emulated_faults, 0);
}

// Lines of 77 and of 201 elements start at every place within 16 bytes.
TEST(MmaSumsTest, AllOtherLinesComeThroughRegisters) {
  EXPECT_EQ((WrongSums<true, false, false>(77, 77, 201, 0, 64, 64)), 0);
  EXPECT_EQ((WrongSums<true, false, false>(77, 77, 201, 0, 0, 0)), 0);
  EXPECT_EQ((WrongSums<true, true, false>(77, 77, 201, 0, 0, 64)), 0);
  EXPECT_EQ((WrongSums<false, false, false>(77, 77, 201, 0, 0, 0)), 0);
  EXPECT_EQ((WrongSums<false, true, false>(77, 77, 201, 0, 64, 0)), 0);
  EXPECT_EQ(emulated_faults, 0);
}

// Neither what follows a line nor a product that is less than the stages.
TEST(MmaSumsTest, NothingOutsideOfTheMatricesIsAdded) {
  EXPECT_EQ((WrongSums<true, false, true>(3, 5, 5, 3, 0, 0)), 0);
  EXPECT_EQ((WrongSums<true, false, false>(3, 5, 1, 2, 0, 0)), 0);
  EXPECT_EQ((WrongSums<true, false, false>(64, 64, 33, 1, 0, 0)), 0);
}

// 392 is six tiles and a part of one, with three stages and with four; rows
// and columns end within the block.
template <typename Way>
void ExpectTheSumsOfWarpgroups() {
  for (const bool late : {false, true}) {
    products_come_late = late;
    EXPECT_EQ((WrongSums<true, false, true, Way>(200, 264, 392, 0, 128, 128)),
              0);
    EXPECT_EQ((WrongSums<true, true, true, Way>(200, 264, 392, 0, 128, 256)),
              0);
    EXPECT_EQ((WrongSums<false, false, true, Way>(200, 264, 392, 0, 0, 0)), 0);
    EXPECT_EQ((WrongSums<false, true, true, Way>(200, 264, 392, 0, 0, 128)), 0);
    EXPECT_EQ((WrongSums<true, false, false, Way>(141, 141, 391, 0, 128, 0)),
              0);
    EXPECT_EQ((WrongSums<false, true, false, Way>(141, 141, 391, 0, 0, 128)),
              0);
    EXPECT_EQ((WrongSums<true, false, true, Way>(3, 5, 5, 3, 0, 0)), 0);
    EXPECT_EQ((WrongSums<true, false, false, Way>(3, 5, 1, 2, 0, 0)), 0);
  }
  EXPECT_EQ(emulated_faults, 0);
}

TEST(WgmmaSumsTest, WarpgroupsReadTilesByTheirDescriptors) {
  ExpectTheSumsOfWarpgroups<ByWarpgroups<4>>();
}

TEST(WgmmaSumsTest, ThreeStagesAreEnough) {
  ExpectTheSumsOfWarpgroups<ByWarpgroups<3>>();
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda::emulation
