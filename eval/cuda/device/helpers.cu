// The trusted kernels: what surrounds a candidate's launches, makes its inputs
// and judges its outputs.  Compiled by NVRTC, so without any header.
//
// Names and arguments are repeated in eval/cuda/runner/.  `dtype` is the number
// of a DType (store/records/task.h).

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

enum Type : u32 {
  kFloat32 = 0, kFloat16 = 1, kBFloat16 = 2,
  kInt64 = 6, kInt32 = 7, kInt16 = 8, kInt8 = 9, kBool = 10
};

__device__ u64 NanosecondsNow() {
  u64 now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__device__ u64 GlobalThread() {
  return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ u64 GlobalThreads() {
  return static_cast<u64>(gridDim.x) * blockDim.x;
}

// ---------------------------------------------------------------- timing

__device__ u32 arrived;
__device__ volatile u32 released;

// Takes all threads of the device until the host sets go[0], so that everything
// behind it is queued before any of it runs, and nothing runs on any other
// stream; go[2] tells the host that it has them all.  After limit_ns sets go[1]
// and lets all run.  `turn` differs from that of the time before.
extern "C" __global__ void __launch_bounds__(512, 4)
    coppice_hold(volatile u32* go, u64 limit_ns, u32 turn) {
  if (threadIdx.x == 0) {
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
      arrived = 0;
      go[2] = 1;
      __threadfence_system();
    }
    const u64 start = NanosecondsNow();
    while (released != turn) {
      if (blockIdx.x == 0 && go[0] != 0) released = turn;
      if (NanosecondsNow() - start > limit_ns) {
        go[1] = 1;
        __threadfence_system();
        released = turn;
      }
    }
  }
  __syncthreads();
}

// Leaves no zeros in shared memory, which no kernel may take for granted.
extern "C" __global__ void coppice_litter(u32 words) {
  extern __shared__ volatile u32 shared[];
  for (u32 i = threadIdx.x; i < words; i += blockDim.x) {
    shared[i] = 0x7fc00000 | (clock() * 2654435761u >> 10);
  }
}

// Time and cycle counter of multiprocessor 0.  One thread per multiprocessor
// or more, else it may meet none of that one.
extern "C" __global__ void coppice_stamp(volatile u64* stamp) {
  u32 multiprocessor;
  asm volatile("mov.u32 %0, %smid;" : "=r"(multiprocessor));
  if (multiprocessor == 0 && threadIdx.x == 0) {
    stamp[0] = NanosecondsNow();
    stamp[1] = clock64();
    __threadfence_system();
  }
}

extern "C" __global__ void coppice_empty() {}

// ---------------------------------------------------------------- memory

extern "C" __global__ void coppice_fill(u64* words, u64 count, u64 pattern) {
  for (u64 i = GlobalThread(); i < count; i += GlobalThreads()) {
    words[i] = pattern;
  }
}

// Counts words of a that are not those of b.
extern "C" __global__ void coppice_differ(const u32* a, const u32* b,
                                          u64 count, u64* found) {
  u64 mine = 0;
  for (u64 i = GlobalThread(); i < count; i += GlobalThreads()) {
    if (a[i] != b[i]) ++mine;
  }
  if (mine != 0) atomicAdd(found, mine);
}

// Counts bytes outside [begin, end) that are not the pattern's.
extern "C" __global__ void coppice_slack(const u8* bytes, u64 count, u64 begin,
                                         u64 end, u64 pattern, u64* found) {
  u64 mine = 0;
  for (u64 i = GlobalThread(); i < count - (end - begin);
       i += GlobalThreads()) {
    const u64 at = i < begin ? i : i + (end - begin);
    if (bytes[at] != static_cast<u8>(pattern >> (at % 8 * 8))) ++mine;
  }
  if (mine != 0) atomicAdd(found, mine);
}

// ---------------------------------------------------------------- numbers

__device__ float HalfToFloat(u16 bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

__device__ u16 FloatToHalf(float value) {
  u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

__device__ float BFloatToFloat(u16 bits) {
  return __uint_as_float(static_cast<u32>(bits) << 16);
}

__device__ u16 FloatToBFloat(float value) {  // To nearest even; no NaN.
  const u32 bits = __float_as_uint(value);
  return static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__device__ double Number(const void* tensor, u32 dtype, u64 i) {
  switch (dtype) {
    case kFloat32: return static_cast<const float*>(tensor)[i];
    case kFloat16: return HalfToFloat(static_cast<const u16*>(tensor)[i]);
    case kBFloat16: return BFloatToFloat(static_cast<const u16*>(tensor)[i]);
    case kInt64:
      return static_cast<double>(static_cast<const i64*>(tensor)[i]);
    case kInt32: return static_cast<const int*>(tensor)[i];
    case kInt16: return static_cast<const short*>(tensor)[i];
    case kInt8: return static_cast<const signed char*>(tensor)[i];
    default: return static_cast<const u8*>(tensor)[i];
  }
}

__device__ u32 ElementBytes(u32 dtype) {
  switch (dtype) {
    case kInt64: return 8;
    case kFloat32:
    case kInt32: return 4;
    case kFloat16:
    case kBFloat16:
    case kInt16: return 2;
    default: return 1;
  }
}

// ---------------------------------------------------------------- inputs

// Philox4x32-10: Salmon, Moraes, Dror, Shaw 2011 (store/records/random.h).
__device__ void Philox(u32 (&c)[4], u32 k0, u32 k1) {
  for (int round = 0; round < 10; ++round) {
    const u64 a = 0xd2511f53ull * c[0];
    const u64 b = 0xcd9e8d57ull * c[2];
    const u32 next[4] = {static_cast<u32>(b >> 32) ^ c[1] ^ k0,
                         static_cast<u32>(b),
                         static_cast<u32>(a >> 32) ^ c[3] ^ k1,
                         static_cast<u32>(a)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
}

__device__ void Put(void* tensor, u32 dtype, u64 i, u32 bits, double normal) {
  // The high half of a product: uniform over a power of two.
  const int wide = static_cast<int>(bits >> 21) - 1024;
  switch (dtype) {
    case kFloat32:
      static_cast<float*>(tensor)[i] = static_cast<float>(normal);
      break;
    case kFloat16:
      static_cast<u16*>(tensor)[i] = FloatToHalf(static_cast<float>(normal));
      break;
    case kBFloat16:
      static_cast<u16*>(tensor)[i] = FloatToBFloat(static_cast<float>(normal));
      break;
    case kInt64: static_cast<i64*>(tensor)[i] = wide; break;
    case kInt32: static_cast<int*>(tensor)[i] = wide; break;
    case kInt16: static_cast<short*>(tensor)[i] = static_cast<short>(wide); break;
    case kInt8:
      static_cast<u8*>(tensor)[i] = static_cast<u8>(bits >> 24);
      break;
    default: static_cast<u8*>(tensor)[i] = static_cast<u8>(bits >> 31); break;
  }
}

// Block b of four elements is a function of (seed, tensor, b) alone; the twin
// on the CPU is eval/cuda/generate.cc.
extern "C" __global__ void coppice_generate(void* out, u32 dtype, u64 count,
                                            u64 seed, u32 tensor) {
  for (u64 block = GlobalThread(); block * 4 < count;
       block += GlobalThreads()) {
    u32 c[4] = {static_cast<u32>(block), static_cast<u32>(block >> 32), tensor,
                0};
    Philox(c, static_cast<u32>(seed), static_cast<u32>(seed >> 32));
    double normal[4] = {};
    if (dtype <= kBFloat16) {
      for (int pair = 0; pair < 4; pair += 2) {  // Box and Muller 1958.
        const double radius = sqrt(-2.0 * log((c[pair] + 0.5) * 0x1p-32));
        double sine, cosine;
        sincospi(2.0 * ((c[pair + 1] + 0.5) * 0x1p-32), &sine, &cosine);
        normal[pair] = radius * cosine;
        normal[pair + 1] = radius * sine;
      }
    }
    for (u64 i = 0; i < 4 && block * 4 + i < count; ++i) {
      Put(out, dtype, block * 4 + i, c[i], normal[i]);
    }
  }
}

// ---------------------------------------------------------------- outputs

// As eval/judge/compare.h has it; doubles that are never negative, as their bits.
struct Finding {
  u64 wrong;
  u64 unwritten;
  u64 first_wrong;  // ~0 if none.
  u64 worst_error_ratio;
  u64 max_absolute_error;
  u64 max_relative_error;
};

__device__ double NanAsInfinity(double value) {
  return value == value ? value : __longlong_as_double(0x7ff0000000000000);
}

__device__ u64 Larger(u64 bits, double value) {
  const u64 other = __double_as_longlong(value);
  return other > bits ? other : bits;
}

__device__ bool StillPoison(const void* tensor, u32 bytes, u64 i,
                            u64 pattern) {
  for (u32 b = 0; b < bytes; ++b) {
    const u64 at = i * bytes + b;
    if (static_cast<const u8*>(tensor)[at] !=
        static_cast<u8>(pattern >> (at % 8 * 8))) {
      return false;
    }
  }
  return true;
}

// The least |y| that rounds to infinity in the type; eval/judge/compare.cc has
// the same.
__device__ double Overflow(u32 dtype) {
  switch (dtype) {
    case kFloat32: return 0x1.ffffffp127;
    case kFloat16: return 65520.0;
    case kBFloat16: return 0x1.ffp127;
    default: return __longlong_as_double(0x7ff0000000000000);
  }
}

// As AllowedError: NaN allows nothing, infinity is for an expected NaN.
__device__ double Allowed(double r, double magnitude, double scale,
                          double floor, u64 unwritten) {
  const double nan = __longlong_as_double(0x7ff8000000000000);
  const double infinity = __longlong_as_double(0x7ff0000000000000);
  if (r != r) {
    return static_cast<u64>(__double_as_longlong(r)) == unwritten ? nan
                                                                  : infinity;
  }
  if (magnitude == 0.0 || scale == 0.0) return 0.0;  // Integers have none.
  const double allowed = scale * magnitude + floor;
  return allowed == infinity ? nan : allowed;
}

__device__ double Distance(double y, double r, double allowed,
                           double overflow) {
  const double infinity = __longlong_as_double(0x7ff0000000000000);
  const double error = fabs(y - r);
  if (error < infinity) return error;
  if (r != r) return y != y && allowed == infinity ? 0.0 : y - r;
  if (y == r) return 0.0;
  if (fabs(y) == infinity && fabs(r) + allowed >= overflow &&
      signbit(y) == signbit(r)) {
    return 0.0;
  }
  return error;
}

extern "C" __global__ void coppice_compare(const void* out, u32 dtype,
                                           u64 count, const double* expected,
                                           const double* magnitude,
                                           double scale, double floor,
                                           u64 unwritten, u64 pattern,
                                           Finding* found) {
  const u32 bytes = ElementBytes(dtype);
  const double overflow = Overflow(dtype);
  Finding mine = {0, 0, ~0ull, 0, 0, 0};
  for (u64 i = GlobalThread(); i < count; i += GlobalThreads()) {
    const double y = Number(out, dtype, i);
    const double r = expected[i];
    const double allowed = Allowed(r, magnitude[i], scale, floor, unwritten);
    const double error = Distance(y, r, allowed, overflow);
    const bool odd_bool =
        dtype == kBool && static_cast<const u8*>(out)[i] > 1;
    // Written so that a NaN on any side is wrong.
    if (error <= allowed && !odd_bool) {
      if (error == 0.0) continue;
    } else {
      ++mine.wrong;
      if (StillPoison(out, bytes, i, pattern)) ++mine.unwritten;
      if (i < mine.first_wrong) mine.first_wrong = i;
    }
    const double shown = NanAsInfinity(error);
    mine.worst_error_ratio =
        Larger(mine.worst_error_ratio, NanAsInfinity(error / allowed));
    mine.max_absolute_error = Larger(mine.max_absolute_error, shown);
    const double relative = shown / fabs(r);
    if (r != 0.0 && relative == relative) {
      mine.max_relative_error = Larger(mine.max_relative_error, relative);
    }
  }
  // Once per warp: a wrong kernel is wrong everywhere.
  for (int offset = 16; offset > 0; offset /= 2) {
    const auto from = [&](u64 v) { return __shfl_down_sync(~0u, v, offset); };
    mine.wrong += from(mine.wrong);
    mine.unwritten += from(mine.unwritten);
    mine.first_wrong = min(mine.first_wrong, from(mine.first_wrong));
    mine.worst_error_ratio =
        max(mine.worst_error_ratio, from(mine.worst_error_ratio));
    mine.max_absolute_error =
        max(mine.max_absolute_error, from(mine.max_absolute_error));
    mine.max_relative_error =
        max(mine.max_relative_error, from(mine.max_relative_error));
  }
  if (threadIdx.x % 32 != 0) return;
  if (mine.wrong != 0) {
    atomicAdd(&found->wrong, mine.wrong);
    atomicAdd(&found->unwritten, mine.unwritten);
    atomicMin(&found->first_wrong, mine.first_wrong);
  }
  atomicMax(&found->worst_error_ratio, mine.worst_error_ratio);
  atomicMax(&found->max_absolute_error, mine.max_absolute_error);
  atomicMax(&found->max_relative_error, mine.max_relative_error);
}

// ---------------------------------------------------------------- roofline

extern "C" __global__ void coppice_copy(const uint4* from, uint4* to,
                                        u64 count) {
  const u64 step = GlobalThreads();
  u64 i = GlobalThread();
  for (; i + 3 * step < count; i += 4 * step) {
    const uint4 a = from[i], b = from[i + step], c = from[i + 2 * step],
                d = from[i + 3 * step];
    to[i] = a;
    to[i + step] = b;
    to[i + 2 * step] = c;
    to[i + 3 * step] = d;
  }
  for (; i < count; i += step) to[i] = from[i];
}

// 8 chains of `rounds` * 16 fused multiply-adds a thread.
extern "C" __global__ void coppice_fma(float* out, float x, u32 rounds) {
  float v[8];
  for (int i = 0; i < 8; ++i) v[i] = x + threadIdx.x + i;
  for (u32 r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
      for (int i = 0; i < 8; ++i) v[i] = __fmaf_rn(v[i], x, x);
    }
  }
  float sum = 0.0f;
  for (int i = 0; i < 8; ++i) sum += v[i];
  if (sum == 12345.0f) out[GlobalThread()] = sum;
}
