#include "eval/torch/fake_cuda.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace coppice::eval::torch {

FakeCudaState& FakeCuda() {
  static FakeCudaState state;
  return state;
}

namespace {

// The call's status, of which `held` more is held then.
int Called(const char* name, int held = 0) {
  FakeCudaState& state = FakeCuda();
  state.calls.emplace_back(name);
  if (state.fails == name) return kFakeFailure;
  state.held += held;
  return 0;
}

void* At(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace
}  // namespace coppice::eval::torch

using coppice::eval::torch::At;
using coppice::eval::torch::Called;
using coppice::eval::torch::FakeCuda;

#define FAKE extern "C" __attribute__((visibility("default"))) int

FAKE cudaMalloc(void** pointer, std::size_t bytes) {
  *pointer = std::malloc(bytes);
  return Called("cudaMalloc");
}

// malloc's are aligned by 16 bytes, mapped pages by 4 KiB.
FAKE cudaFree(void* pointer) {
  const bool is_page = reinterpret_cast<std::uint64_t>(pointer) % 4096 == 0;
  if (!is_page) std::free(pointer);
  const int status = Called("cudaFree");
  return is_page && pointer != nullptr ? coppice::eval::torch::kFakeInvalid
                                       : status;
}

FAKE cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}

FAKE cudaDeviceSynchronize() { return Called("cudaDeviceSynchronize"); }

FAKE cuMemCreate(std::uint64_t* handle, std::size_t, const void*,
                 std::uint64_t) {
  static std::uint64_t last = 0;
  if (FakeCuda().is_full) return coppice::eval::torch::kFakeOutOfMemory;
  *handle = ++last;
  return Called("cuMemCreate", 1);
}

FAKE cuMemRelease(std::uint64_t) { return Called("cuMemRelease", -1); }

FAKE cuMemAddressReserve(std::uint64_t* base, std::size_t bytes, std::size_t,
                         std::uint64_t, std::uint64_t) {
  const int status = Called("cuMemAddressReserve", 1);
  if (status == 0) {
    *base = reinterpret_cast<std::uint64_t>(
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  return status;
}

FAKE cuMemAddressFree(std::uint64_t base, std::size_t bytes) {
  munmap(At(base), bytes);
  return Called("cuMemAddressFree", -1);
}

FAKE cuMemMap(std::uint64_t, std::size_t, std::size_t, std::uint64_t,
              std::uint64_t) {
  return Called("cuMemMap", 1);
}

FAKE cuMemSetAccess(std::uint64_t, std::size_t, const void*, std::size_t) {
  return Called("cuMemSetAccess");
}

FAKE cuMemUnmap(std::uint64_t, std::size_t) { return Called("cuMemUnmap", -1); }

FAKE cuMemExportToShareableHandle(int* descriptor, std::uint64_t, int,
                                  std::uint64_t) {
  const int status = Called("cuMemExportToShareableHandle");
  if (status == 0) {
    *descriptor = memfd_create("exported", 0);
    ++FakeCuda().exported;
  }
  return status;
}
