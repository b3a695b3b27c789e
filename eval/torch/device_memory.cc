// Stands before cudaMalloc (LD_PRELOAD) in a worker's process: memory that
// PyTorch has of a device is such that another process can be shown it, so that
// nothing need be copied to where that looks.
//
// PyTorch's allocator asks for pieces of 2 MiB or more, also for CUDA graphs;
// what is smaller is not torch's, and goes the usual way.  What torch does not
// ask of such memory here is not there: cudaFreeAsync, cudaIpcGetMemHandle,
// access by other devices.  CUDA's calls are cuda.h's and the runtime's, by
// their own names: nothing of CUDA's is linked, nor anything of C++'s library,
// which torch brings another one of.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;  // Any driver's.
constexpr std::size_t kMostPieces = std::size_t{1} << 16;
constexpr int kByDescriptor = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kOutOfMemory = 2;   // The driver's and the runtime's.
constexpr int kNotFound = 500;    // Theirs, of a symbol.

struct Location {  // CUmemLocation
  int type = 1;    // On a device.
  int id = 0;
};

struct Properties {  // CUmemAllocationProp
  int type = 1;      // Pinned.
  int handle_types = kByDescriptor;
  Location location;
  void* win32 = nullptr;
  unsigned char flags[8] = {};
};

struct Access {  // CUmemAccessDesc
  Location location;
  int flags = 3;  // To read and to write.
};

struct Piece {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t serial = 0;  // No other piece has it, ever.
  std::uint64_t handle = 0;
  bool is_exported = false;
  int descriptor = 0;  // Set if it is exported.
};

// A tensor's place as device_calls.py has it.
struct Found {
  std::uint64_t offset;  // In a piece.
  std::uint64_t bytes;   // Of that.
  std::uint64_t serial;
  std::int64_t descriptor;
};

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
Piece g_pieces[kMostPieces];  // By base.
std::size_t g_count = 0;
std::uint64_t g_serial = 0;

class Locked {
 public:
  Locked() { pthread_mutex_lock(&g_mutex); }
  ~Locked() { pthread_mutex_unlock(&g_mutex); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

template <class... Arguments>
int Drive(const char* name, Arguments... arguments) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  using Call = int (*)(Arguments...);
  const auto call = reinterpret_cast<Call>(dlsym(driver, name));
  return call == nullptr ? kNotFound : call(arguments...);
}

template <class... Arguments>
int Next(const char* name, Arguments... arguments) {
  using Call = int (*)(Arguments...);
  const auto call = reinterpret_cast<Call>(dlsym(RTLD_NEXT, name));
  return call == nullptr ? kNotFound : call(arguments...);
}

// The first piece that begins after an address.
std::size_t After(std::uint64_t address) {
  std::size_t low = 0;
  std::size_t high = g_count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (g_pieces[middle].base <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool Enter(std::uint64_t base, std::size_t bytes, std::uint64_t handle) {
  const Locked locked;
  if (g_count == kMostPieces) return false;
  const std::size_t at = After(base);
  std::memmove(g_pieces + at + 1, g_pieces + at,
               (g_count - at) * sizeof g_pieces[0]);
  g_pieces[at] = {base, bytes, ++g_serial, handle};
  ++g_count;
  return true;
}

bool IsPiece(std::uint64_t base) {
  const Locked locked;
  const std::size_t after = After(base);
  return after > 0 && g_pieces[after - 1].base == base;
}

// All 0 if it is none (any more): then nothing is changed.
Piece Leave(std::uint64_t base) {
  const Locked locked;
  const std::size_t after = After(base);
  if (after == 0 || g_pieces[after - 1].base != base) return {};
  const Piece left = g_pieces[after - 1];
  std::memmove(g_pieces + after - 1, g_pieces + after,
               (g_count - after) * sizeof g_pieces[0]);
  --g_count;
  return left;
}

// 0, or the status of the driver's call that failed; then nothing is held.
int Map(std::size_t bytes, int device, std::uint64_t& base,
        std::uint64_t& handle) {
  Properties properties;
  properties.location.id = device;
  int status =
      Drive("cuMemCreate", &handle, bytes, &properties, std::uint64_t{0});
  if (status != 0) return status;
  status = Drive("cuMemAddressReserve", &base, bytes, std::size_t{0},
                 std::uint64_t{0}, std::uint64_t{0});
  if (status == 0) {
    status = Drive("cuMemMap", base, bytes, std::size_t{0}, handle,
                   std::uint64_t{0});
    Access access;
    access.location.id = device;
    if (status == 0) {
      status = Drive("cuMemSetAccess", base, bytes, &access, std::size_t{1});
      if (status == 0) return 0;
      Drive("cuMemUnmap", base, bytes);
    }
    Drive("cuMemAddressFree", base, bytes);
  }
  Drive("cuMemRelease", handle);
  return status;
}

void Unmap(std::uint64_t base, std::size_t bytes, std::uint64_t handle) {
  Drive("cuMemUnmap", base, bytes);
  Drive("cuMemAddressFree", base, bytes);
  Drive("cuMemRelease", handle);
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int cudaMalloc(void** pointer, std::size_t wanted) {
  if (wanted < kGranularity) return Next("cudaMalloc", pointer, wanted);
  int device = 0;
  // Makes the device's context current, as cudaMalloc does.
  if (const int status = Next("cudaFree", static_cast<void*>(nullptr))) {
    return status;
  }
  if (const int status = Next("cudaGetDevice", &device)) return status;
  const std::size_t bytes =
      (wanted + kGranularity - 1) / kGranularity * kGranularity;
  std::uint64_t base = 0;
  std::uint64_t handle = 0;
  const int status = Map(bytes, device, base, handle);
  // Torch frees what it has kept, and asks again.
  if (status == kOutOfMemory) return status;
  if (status != 0) return Next("cudaMalloc", pointer, wanted);
  if (!Enter(base, bytes, handle)) {
    Unmap(base, bytes, handle);
    return Next("cudaMalloc", pointer, wanted);
  }
  std::memcpy(pointer, &base, sizeof base);
  return 0;
}

EXPORTED int cudaFree(void* pointer) {
  std::uint64_t base = 0;
  std::memcpy(&base, &pointer, sizeof base);
  if (!IsPiece(base)) return Next("cudaFree", pointer);
  // What still runs may use it: cudaFree waits for that, too, and frees nothing
  // if it cannot.
  if (const int status = Next("cudaDeviceSynchronize")) return status;
  const Piece left = Leave(base);
  if (left.bytes == 0) return Next("cudaFree", pointer);  // Freed meanwhile.
  Unmap(base, left.bytes, left.handle);
  if (left.is_exported) close(left.descriptor);
  return 0;
}

// Where the piece of an address is, with a descriptor of it.  0: of none.
EXPORTED int coppice_find_memory(std::uint64_t address, Found* found) {
  const Locked locked;
  const std::size_t after = After(address);
  if (after == 0) return 0;
  Piece& piece = g_pieces[after - 1];
  if (address - piece.base >= piece.bytes) return 0;
  if (!piece.is_exported) {
    if (Drive("cuMemExportToShareableHandle", &piece.descriptor, piece.handle,
              kByDescriptor, std::uint64_t{0}) != 0) {
      return 0;
    }
    piece.is_exported = true;
  }
  *found = {address - piece.base, piece.bytes, piece.serial, piece.descriptor};
  return 1;
}
