#include "eval/cuda/runner/kernel_times.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "eval/cuda/runner/request_loop.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::string_view kOwnKernels = "coppice_";  // Of device/helpers.cu.

// CUPTI's part of the ABI that we use: the head of CUpti_ActivityKernel4 to 10,
// which later versions only append to (cupti_activity.h).
constexpr std::uint32_t kOldestCupti = 12;  // Of CUDA 10.2.
constexpr std::uint32_t kConcurrentKernel = 10;
constexpr std::uint32_t kFlushForced = 1;
constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::size_t kBufferAlignment = 8;

struct KernelRecord {
  std::uint32_t kind;
  std::uint8_t cache_configuration;
  std::uint8_t shared_configuration;
  std::uint16_t registers;
  std::uint32_t global_cache[2];
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint64_t completed_ns;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared_bytes;
  std::int32_t dynamic_shared_bytes;
  std::uint32_t local_bytes;
  std::uint32_t local_bytes_in_all;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
};
static_assert(offsetof(KernelRecord, block) == 64);
static_assert(offsetof(KernelRecord, local_bytes) == 84);
static_assert(offsetof(KernelRecord, name) == 104);

using BufferRequested = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using BufferCompleted = void (*)(Context, std::uint32_t, std::uint8_t*,
                                 std::size_t, std::size_t);

// Members are named after the functions, without "cupti".
// NOLINTBEGIN(readability-identifier-naming)
struct Cupti {
  int (*GetVersion)(std::uint32_t*);
  int (*ActivityRegisterCallbacks)(BufferRequested, BufferCompleted);
  int (*ActivityEnable)(std::uint32_t);
  int (*ActivityFlushAll)(std::uint32_t);
  int (*ActivityGetNextRecord)(std::uint8_t*, std::size_t, void**);
};
// NOLINTEND(readability-identifier-naming)

Cupti cupti;
bool has_cupti = false;
int cupti_status = 0;

// CUPTI hands buffers back on a thread of its own.
std::mutex mutex;
std::vector<KernelTime> traced;

KernelTimes* observer = nullptr;

KernelTime& Of(std::vector<KernelTime>& kernels, const char* name) {
  std::array<char, 96> cut{};
  std::string_view(name == nullptr ? "?" : name).copy(cut.data(), 95);
  const auto found = std::ranges::find(kernels, cut, &KernelTime::name);
  if (found != kernels.end()) return *found;
  KernelTime kernel{};
  kernel.name = cut;
  kernels.push_back(kernel);
  return kernels.back();
}

void Enter(const KernelRecord& record) {
  if (record.name != nullptr &&
      std::string_view(record.name).starts_with(kOwnKernels)) {
    return;
  }
  KernelTime& kernel = Of(traced, record.name);
  const auto raise = [](std::uint32_t& most, std::int32_t value) {
    most = std::max(most, static_cast<std::uint32_t>(std::max(value, 0)));
  };
  ++kernel.calls;
  kernel.total_ns += record.end_ns - record.start_ns;
  kernel.registers = record.registers;
  raise(kernel.static_shared_bytes, record.static_shared_bytes);
  raise(kernel.dynamic_shared_bytes, record.dynamic_shared_bytes);
  kernel.local_bytes = std::max(kernel.local_bytes, record.local_bytes);
  raise(kernel.block_threads,
        record.block[0] * record.block[1] * record.block[2]);
}

void RequestBuffer(std::uint8_t** buffer, std::size_t* bytes,
                   std::size_t* most_records) {
  *buffer =
      static_cast<std::uint8_t*>(aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // As many as fit.
}

void CompleteBuffer(Context, std::uint32_t, std::uint8_t* buffer, std::size_t,
                    std::size_t valid_bytes) {
  const std::scoped_lock lock(mutex);
  void* record = nullptr;
  while (valid_bytes > 0 &&
         cupti.ActivityGetNextRecord(buffer, valid_bytes, &record) == 0) {
    const auto& kernel = *static_cast<const KernelRecord*>(record);
    if (kernel.kind == kConcurrentKernel) Enter(kernel);
  }
  std::free(buffer);
}

KernelInventory List(const std::vector<KernelTime>& kernels, Tracer tracer) {
  KernelInventory inventory{};
  inventory.tracer = tracer;
  inventory.status = cupti_status;
  for (const KernelTime& kernel : kernels) {
    if (inventory.kernels < inventory.kernel.size()) {
      inventory.kernel[inventory.kernels++] = kernel;
    } else {
      inventory.more += static_cast<std::uint32_t>(kernel.calls);
    }
  }
  return inventory;
}

}  // namespace

void LoadProfiler() {
  const char* path = std::getenv(kProfilerVariable);
  if (path == nullptr) return;
  cupti_status = -1;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto find = [&](auto& function, const char* symbol) {
    void* address = dlsym(library, symbol);
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    return address != nullptr;
  };
  std::uint32_t version = 0;
  const bool is_known =
      find(cupti.GetVersion, "cuptiGetVersion") &&
      find(cupti.ActivityRegisterCallbacks, "cuptiActivityRegisterCallbacks") &&
      find(cupti.ActivityEnable, "cuptiActivityEnable") &&
      find(cupti.ActivityFlushAll, "cuptiActivityFlushAll") &&
      find(cupti.ActivityGetNextRecord, "cuptiActivityGetNextRecord") &&
      cupti.GetVersion(&version) == 0 && version >= kOldestCupti;
  if (!is_known) return;
  cupti_status = cupti.ActivityRegisterCallbacks(RequestBuffer, CompleteBuffer);
  if (cupti_status == 0) {
    cupti_status = cupti.ActivityEnable(kConcurrentKernel);
  }
  has_cupti = cupti_status == 0;
}

KernelTimes::KernelTimes(const Gpu& gpu) : gpu_(gpu) {
  observer = this;
  if (!has_cupti) return;
  static_cast<void>(cupti.ActivityFlushAll(kFlushForced));
  const std::scoped_lock lock(mutex);
  traced.clear();
}

KernelTimes::~KernelTimes() { observer = nullptr; }

void KernelTimes::Begin() {
  if (!has_cupti) Record(nullptr);
}

void KernelTimes::Record(const Launch* launch) {
  Mark mark{.launch = launch};
  Must(gpu_.driver().EventCreate(&mark.event, 0), FailureStage::kMemory);
  Must(gpu_.driver().EventRecord(mark.event, gpu_.stream()),
       FailureStage::kRun);
  marks_.push_back(mark);
}

KernelInventory KernelTimes::Take() {
  if (has_cupti) {
    static_cast<void>(cupti.ActivityFlushAll(kFlushForced));
    const std::scoped_lock lock(mutex);
    return List(traced, Tracer::kCupti);
  }
  std::vector<KernelTime> kernels;
  for (std::size_t i = 1; i < marks_.size(); ++i) {
    float milliseconds = 0.0F;
    Must(gpu_.driver().EventElapsedTime(&milliseconds, marks_[i - 1].event,
                                        marks_[i].event),
         FailureStage::kRun);
    KernelTime& kernel = Of(kernels, marks_[i].launch->kernel.data());
    ++kernel.calls;
    kernel.total_ns +=
        static_cast<std::uint64_t>(std::llround(milliseconds * 1e6));
  }
  return List(kernels, marks_.size() > 1 ? Tracer::kEvents : Tracer::kNone);
}

void MarkLaunch(const Launch& launch) {
  if (observer != nullptr && !has_cupti) observer->Record(&launch);
}

}  // namespace coppice::eval::cuda
