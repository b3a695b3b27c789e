#include "eval/cuda/runner/memory.h"

#include <unistd.h>

#include "eval/cuda/runner/request_loop.h"

namespace coppice::eval::cuda {
namespace {

DevicePointer Map(const Gpu& gpu, AllocationHandle handle, std::uint64_t bytes,
                  AccessFlags access) {
  const Driver& driver = gpu.driver();
  DevicePointer reserved = 0;
  Must(driver.MemAddressReserve(&reserved, bytes + 2 * kGranularity, 0, 0, 0),
       FailureStage::kMemory);
  const DevicePointer at = reserved + kGranularity;
  Must(driver.MemMap(at, bytes, 0, handle, 0), FailureStage::kMemory);
  const AccessDescriptor descriptor{.location = {.type = 1, .id = gpu.device()},
                                    .flags = access};
  Must(driver.MemSetAccess(at, bytes, &descriptor, 1), FailureStage::kMemory);
  // The mapping holds the pages from here on.
  Must(driver.MemRelease(handle), FailureStage::kMemory);
  return at;
}

AllocationHandle Create(const Gpu& gpu, std::uint64_t bytes, int handle_types) {
  AllocationProperties properties;
  properties.handle_types = handle_types;
  properties.location.id = gpu.device();
  AllocationHandle handle = 0;
  Must(gpu.driver().MemCreate(&handle, bytes, &properties, 0),
       FailureStage::kMemory);
  return handle;
}

}  // namespace

SharedPages CreatePages(const Gpu& gpu, std::uint64_t bytes) {
  const AllocationHandle handle = Create(gpu, bytes, kShareByDescriptor);
  SharedPages pages;
  Must(gpu.driver().MemExportToShareableHandle(&pages.descriptor, handle,
                                               kShareByDescriptor, 0),
       FailureStage::kMemory);
  pages.at = Map(gpu, handle, bytes, AccessFlags::kReadWrite);
  return pages;
}

DevicePointer ImportPages(const Gpu& gpu, int descriptor, std::uint64_t bytes,
                          AccessFlags access) {
  AllocationHandle handle = 0;
  // By value in the place of a pointer, as cuda.h asks.
  Must(gpu.driver().MemImportFromShareableHandle(
           &handle,
           // NOLINTNEXTLINE(performance-no-int-to-ptr)
           reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
           kShareByDescriptor),
       FailureStage::kMemory);
  close(descriptor);
  return Map(gpu, handle, bytes, access);
}

DevicePointer CreatePrivatePages(const Gpu& gpu, std::uint64_t bytes) {
  return Map(gpu, Create(gpu, bytes, 0), bytes, AccessFlags::kReadWrite);
}

}  // namespace coppice::eval::cuda
