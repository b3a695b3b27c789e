// The CUDA driver, found at run time: our own declarations of the part that we
// use, so that neither building nor running needs anything of CUDA's.
//
// Values and signatures are those of the stable ABI of libcuda.so.1 (CUDA
// 12.4 and later).  Only coppice-cuda-runner calls it: a process that has made
// a context once keeps memory on the device and cannot give all of it back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coppice::eval::cuda {

using Status = int;  // CUresult; 0 is success.
using DevicePointer = std::uint64_t;
using Device = int;
using AllocationHandle = unsigned long long;

// Handles of the driver, told apart by type.
struct ContextTag;
struct ModuleTag;
struct FunctionTag;
struct StreamTag;
struct EventTag;
using Context = ContextTag*;
using Module = ModuleTag*;
using Function = FunctionTag*;
using Stream = StreamTag*;
using Event = EventTag*;

inline constexpr Status kNotFound = 500;
inline constexpr Status kNotReady = 600;

enum DeviceAttribute : int {
  kMaxSharedMemoryPerBlock = 97,  // After opting in.
  kClockRateKhz = 13,
  kMultiprocessors = 16,
  kL2CacheBytes = 38,
  kThreadsPerMultiprocessor = 39,
  kSharedPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kBlocksPerMultiprocessor = 106,
  kReservedSharedPerBlock = 111,
};

enum FunctionAttribute : int {
  kMaxDynamicSharedBytes = 8,
  kNonPortableClusterSize = 14,
};

inline constexpr int kLimitPersistingL2 = 6;
inline constexpr int kShareByDescriptor = 1;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kHostMapped = 2;
inline constexpr unsigned kSpinWhileWaiting = 1;  // CU_CTX_SCHED_SPIN

struct MemoryLocation {
  int type = 1;  // A device.
  int id = 0;
};

// CUmemAllocationProp.
struct AllocationProperties {
  int type = 1;  // Pinned on the device.
  int handle_types = kShareByDescriptor;
  MemoryLocation location;
  void* win32 = nullptr;
  struct {
    unsigned char compression = 0;
    unsigned char rdma = 0;
    unsigned short usage = 0;
    unsigned char reserved[4] = {};
  } flags;
};

enum class AccessFlags : int { kRead = 1, kReadWrite = 3 };

struct AccessDescriptor {  // CUmemAccessDesc.
  MemoryLocation location;
  AccessFlags flags = AccessFlags::kReadWrite;
};

// CUlaunchAttribute: an id, padding to 8 bytes and a union of 64.
inline constexpr int kLaunchClusterDimension = 4;
struct LaunchAttribute {
  int id = kLaunchClusterDimension;
  int padding = 0;
  unsigned dimensions[16] = {};
};

struct LaunchConfiguration {  // CUlaunchConfig.
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

// Members are named after the functions, without "cu".
// NOLINTBEGIN(readability-identifier-naming)
struct Driver {
  Status (*Init)(unsigned);
  Status (*DriverGetVersion)(int*);
  Status (*DeviceGet)(Device*, int);
  Status (*DeviceGetAttribute)(int*, int, Device);
  Status (*DeviceTotalMem)(std::size_t*, Device);
  Status (*DevicePrimaryCtxRetain)(Context*, Device);
  Status (*DevicePrimaryCtxSetFlags)(Device, unsigned);
  Status (*CtxSetCurrent)(Context);
  Status (*CtxSynchronize)();
  Status (*CtxSetLimit)(int, std::size_t);
  Status (*CtxResetPersistingL2Cache)();
  Status (*ModuleLoadData)(Module*, const void*);
  Status (*ModuleGetFunction)(Function*, Module, const char*);
  Status (*FuncSetAttribute)(Function, int, int);
  Status (*FuncGetParamInfo)(Function, std::size_t, std::size_t*, std::size_t*);
  Status (*LaunchKernelEx)(const LaunchConfiguration*, Function, void**,
                           void**);
  Status (*StreamCreate)(Stream*, unsigned);
  Status (*StreamSynchronize)(Stream);
  Status (*StreamQuery)(Stream);
  Status (*EventCreate)(Event*, unsigned);
  Status (*EventRecord)(Event, Stream);
  Status (*EventElapsedTime)(float*, Event, Event);
  Status (*MemAlloc)(DevicePointer*, std::size_t);
  Status (*MemFree)(DevicePointer);
  Status (*MemHostAlloc)(void**, std::size_t, unsigned);
  Status (*MemHostGetDevicePointer)(DevicePointer*, void*, unsigned);
  Status (*MemcpyHtoD)(DevicePointer, const void*, std::size_t);
  Status (*MemcpyDtoH)(void*, DevicePointer, std::size_t);
  Status (*MemcpyDtoDAsync)(DevicePointer, DevicePointer, std::size_t, Stream);
  Status (*MemsetD32Async)(DevicePointer, unsigned, std::size_t, Stream);
  Status (*MemAddressReserve)(DevicePointer*, std::size_t, std::size_t,
                              DevicePointer, unsigned long long);
  Status (*MemCreate)(AllocationHandle*, std::size_t,
                      const AllocationProperties*, unsigned long long);
  Status (*MemMap)(DevicePointer, std::size_t, std::size_t, AllocationHandle,
                   unsigned long long);
  Status (*MemSetAccess)(DevicePointer, std::size_t, const AccessDescriptor*,
                         std::size_t);
  Status (*MemRelease)(AllocationHandle);
  Status (*MemExportToShareableHandle)(void*, AllocationHandle, int,
                                       unsigned long long);
  Status (*MemImportFromShareableHandle)(AllocationHandle*, void*, int);
};
// NOLINTEND(readability-identifier-naming)

// Null, with the reason in `why`, if there is no driver or it lacks one of
// these.  The table lives as long as the process.
const Driver* LoadDriver(const char** why);

}  // namespace coppice::eval::cuda
