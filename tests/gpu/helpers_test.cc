// The trusted kernels against their twins on the CPU.

#include "eval/cuda/helpers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

#include "eval/cuda/generate.h"
#include "eval/cuda/runner/gpu.h"
#include "eval/cuda/toolchain.h"
#include "eval/host/nvml.h"
#include "eval/judge/compare.h"
#include "eval/judge/inputs.h"

namespace coppice::eval::cuda {
namespace {

class HelpersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto nvml = Nvml::Open();
    if (!nvml) return;
    const auto toolchain =
        Toolchain::Find({.cache_directory = "cuda-test-cache",
                         .nvrtc = COPPICE_NVRTC,
                         .compute_major = (*nvml)->identity().compute_major,
                         .compute_minor = (*nvml)->identity().compute_minor});
    ASSERT_TRUE(toolchain) << toolchain.error().what;
    const auto made = toolchain->Cubin(HelpersSource());
    ASSERT_TRUE(made) << made.error().what;
    ASSERT_EQ(Name(made->verdict), "passed") << made->diagnostics;
    std::ifstream file(made->object, std::ios::binary);
    gpu_ = std::make_unique<Gpu>(
        std::string{std::istreambuf_iterator<char>(file), {}});
  }
  static void TearDownTestSuite() { gpu_.reset(); }

  void SetUp() override {
    if (gpu_ == nullptr) GTEST_SKIP() << "skipped: no CUDA device";
  }

  template <class T>
  DevicePointer Put(const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    const DevicePointer at = gpu_->Allocate(bytes);
    EXPECT_EQ(gpu_->driver().MemcpyHtoD(at, values.data(), bytes), 0);
    gpu_->Synchronize(FailureStage::kRun);
    return at;
  }

  template <class T>
  std::vector<T> Get(DevicePointer at, std::size_t count) {
    gpu_->Synchronize(FailureStage::kRun);
    std::vector<T> values(count);
    EXPECT_EQ(gpu_->driver().MemcpyDtoH(values.data(), at, count * sizeof(T)),
              0);
    return values;
  }

  static std::unique_ptr<Gpu> gpu_;
};

std::unique_ptr<Gpu> HelpersTest::gpu_;

TEST_F(HelpersTest, GenerateAgreesWithItsTwin) {
  constexpr std::size_t kCount = 1'000'003;
  constexpr std::uint64_t kSeed = 0x123456789abcdef0;
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt64,
        DType::kInt32, DType::kInt16, DType::kInt8, DType::kBool}) {
    const std::size_t element = ElementBytes(dtype);
    const DevicePointer at = gpu_->Allocate(kCount * element);
    gpu_->Help(gpu_->helpers().generate, (kCount + 3) / 4, at,
               static_cast<std::uint32_t>(dtype), std::uint64_t{kCount}, kSeed,
               std::uint32_t{5});
    const auto device = Get<std::byte>(at, kCount * element);
    const auto host = Generate(dtype, kSeed, 5, 0, kCount);
    std::size_t different = 0;
    double furthest = 0.0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double d = ElementValue(&device[i * element], dtype);
      const double h = ElementValue(&host[i * element], dtype);
      if (d == h) continue;
      ++different;
      furthest = std::max(furthest, std::abs(d - h) / std::abs(h));
    }
    // One unit in the last place, of one in a million or so.
    EXPECT_LE(different, 10u) << static_cast<int>(dtype);
    EXPECT_LE(furthest, 2.0 * UnitRoundoff(dtype)) << static_cast<int>(dtype);
  }
}

// What compares outputs on the device and what compares them here must find
// the same in the same: right, wrong, unwritten and special values.
TEST_F(HelpersTest, CompareAgreesWithItsTwin) {
  constexpr std::size_t kCount = 100'000;
  constexpr std::uint64_t kPattern = 0x7fc01234'7fc05678;
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double unwritten = std::bit_cast<double>(kOracleUnwritten);
  const Tolerance tolerance{.factor = 8.0};
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt64,
        DType::kInt32, DType::kInt16, DType::kInt8, DType::kBool}) {
    const std::size_t element = ElementBytes(dtype);
    std::vector<std::byte> out = Generate(dtype, 3, 0, 0, kCount);
    std::vector<double> expected(kCount);
    std::vector<double> magnitudes(kCount, 1.0);
    for (std::size_t i = 0; i < kCount; ++i) {
      const double y = ElementValue(&out[i * element], dtype);
      expected[i] = y * (1.0 + 1e-6 * std::sin(static_cast<double>(i)));
      if (!IsFloat(dtype)) {
        expected[i] = y;
        magnitudes[i] = 0.0;
      }
    }
    std::memcpy(&out[800 * element], &kPattern, element);
    expected[5003] += 100.0;
    expected[6000] = infinity;
    expected[6001] = nan;
    expected[6002] = unwritten;
    magnitudes[6003] = infinity;
    magnitudes[6004] = 0.0;
    expected[6005] = 1e300;
    if (dtype == DType::kFloat32) {
      const float specials[] = {std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::quiet_NaN(),
                                1.0F,
                                2.0F,
                                std::numeric_limits<float>::infinity()};
      std::memcpy(&out[6000 * element], specials, sizeof specials);
    }

    TensorShape shape{.name = "y",
                      .dtype = dtype,
                      .scalar = false,
                      .dims = {kCount},
                      .elements = kCount};
    const OutputComparison host =
        Compare(out, shape,
                MakeExpected(expected, magnitudes, tolerance, dtype), kPattern);

    const std::vector<std::uint64_t> none = {0, 0, ~std::uint64_t{0}, 0, 0, 0};
    const DevicePointer found = Put(none);
    const double tiny = std::numeric_limits<double>::denorm_min();
    gpu_->Help(gpu_->helpers().compare, std::uint64_t{kCount}, Put(out),
               static_cast<std::uint32_t>(dtype), std::uint64_t{kCount},
               Put(expected), Put(magnitudes),
               tolerance.factor * UnitRoundoff(dtype),
               AllowedError(0.0, tiny, tolerance, dtype), kOracleUnwritten,
               kPattern, found);
    const auto device = Get<std::uint64_t>(found, 6);
    const std::string type = "dtype " + std::to_string(static_cast<int>(dtype));
    EXPECT_GT(host.wrong, 0u) << type;
    EXPECT_EQ(device[0], host.wrong) << type;
    EXPECT_EQ(device[1], host.unwritten) << type;
    EXPECT_EQ(device[2], host.first_wrong.value_or(~std::size_t{0})) << type;
    EXPECT_EQ(std::bit_cast<double>(device[3]), host.worst_error_ratio) << type;
    EXPECT_EQ(std::bit_cast<double>(device[4]), host.max_absolute_error)
        << type;
    EXPECT_EQ(std::bit_cast<double>(device[5]), host.max_relative_error)
        << type;
  }
}

// What compares one output of float32 with expected values found in it.
struct Seen {
  std::uint64_t wrong;
  std::uint64_t first_wrong;
};

class CompareTest : public HelpersTest {
 protected:
  Seen Compare(const std::vector<float>& got, const std::vector<double>& wanted,
               double scale, double floor) {
    const std::vector<double> magnitudes(got.size(), 1.0);
    const DevicePointer found =
        Put(std::vector<std::uint64_t>{0, 0, ~std::uint64_t{0}, 0, 0, 0});
    gpu_->Help(gpu_->helpers().compare, std::uint64_t{got.size()}, Put(got),
               static_cast<std::uint32_t>(DType::kFloat32),
               std::uint64_t{got.size()}, Put(wanted), Put(magnitudes), scale,
               floor, kOracleUnwritten, std::uint64_t{0x7fc01234'7fc05678},
               found);
    const auto words = Get<std::uint64_t>(found, 3);
    return {words[0], words[2]};
  }
};

// Edges of a warp, a block, a grid of 16 blocks a multiprocessor and the
// tensor, for a size that is a multiple of none.
TEST_F(CompareTest, OneWrongElementAnywhereIsFound) {
  constexpr std::size_t kCount = 1'000'003;
  const std::size_t grid =
      256 * 16 * static_cast<std::size_t>(gpu_->Attribute(kMultiprocessors));
  std::vector<float> got(kCount, 1.0F);
  const std::vector<double> wanted(kCount, 1.0);
  EXPECT_EQ(Compare(got, wanted, 1e-6, 0.0).wrong, 0u);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32},
        std::size_t{255}, std::size_t{256}, kCount / 2, grid - 1, grid,
        kCount - 256, kCount - 2, kCount - 1}) {
    got.at(at) = 1.001F;
    const Seen seen = Compare(got, wanted, 1e-6, 0.0);
    EXPECT_EQ(seen.wrong, 1u) << at;
    EXPECT_EQ(seen.first_wrong, at);
    got.at(at) = 1.0F;
  }
}

// NaN only for NaN, an infinity only for it or for what rounds to it, and no
// oracle's silence.
TEST_F(CompareTest, ClassesComeBeforeTolerance) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const double silence = std::bit_cast<double>(kOracleUnwritten);
  const struct {
    float got;
    double wanted;
    bool right;
  } cases[] = {{nan, nan, true},
               {nan, 1.0, false},
               {1.0F, nan, false},
               {nan, infinity, false},
               {infinity, nan, false},
               {infinity, infinity, true},
               {-infinity, infinity, false},
               {infinity, 1e300, true},
               {-infinity, 1e300, false},
               {infinity, 1.0, false},
               {std::numeric_limits<float>::max(), infinity, false},
               {nan, silence, false},
               {0.0F, silence, false}};
  for (const auto& each : cases) {
    EXPECT_EQ(Compare({each.got}, {each.wanted}, 1e-6, 0.0).wrong,
              each.right ? 0u : 1u)
        << each.got << " for " << each.wanted;
  }
}

// The error may be what is allowed, here of a magnitude of 1, and no more;
// 2^-126 is the smallest normal number and 2^-149 the smallest.
TEST_F(CompareTest, AnErrorMayBeWhatIsAllowedAndNoMore) {
  const struct {
    float got;
    double wanted;
    double allowed;
    bool right;
  } cases[] = {
      {1.25F, 1.0, 0.25, true},          {1.25F + 0x1p-22F, 1.0, 0.25, false},
      {0.75F, 1.0, 0.25, true},          {0x1p-149F, 0x1p-149, 0.0, true},
      {0x1p-149F, 0x1p-148, 0.0, false}, {0.0F, 0x1p-149, 0.0, false},
      {0.0F, 0x1p-149, 0x1p-149, true},  {-0.0F, 0.0, 0.0, true},
      {0.0F, 0x1p-126, 0x1p-149, false}};
  for (const auto& each : cases) {
    EXPECT_EQ(Compare({each.got}, {each.wanted}, each.allowed, 0.0).wrong,
              each.right ? 0u : 1u)
        << each.got << " for " << each.wanted;
  }
}

TEST_F(HelpersTest, SlackCountsBytesOnBothSides) {
  constexpr std::uint64_t kPattern = 0x0123456789abcdef;
  const DevicePointer at = gpu_->Allocate(1024);
  gpu_->Fill(at, 1024, kPattern);
  auto bytes = Get<std::uint8_t>(at, 1024);
  for (const std::size_t i : {0u, 99u, 100u, 901u, 1023u}) bytes[i] ^= 1;
  const DevicePointer changed = Put(bytes);
  const DevicePointer found = Put(std::vector<std::uint64_t>{0});
  // The tensor is [100, 900): 100 itself may change.
  gpu_->Help(gpu_->helpers().slack, std::uint64_t{224}, changed,
             std::uint64_t{1024}, std::uint64_t{100}, std::uint64_t{900},
             kPattern, found);
  EXPECT_EQ(Get<std::uint64_t>(found, 1)[0], 4u);
}

}  // namespace
}  // namespace coppice::eval::cuda
