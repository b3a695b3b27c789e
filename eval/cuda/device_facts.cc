#include "eval/cuda/device_facts.h"

#include <cstdint>

#include "eval/cuda/toolchain.h"
#include "eval/host/machine.h"
#include "store/records/environment.h"

namespace coppice::eval::cuda {
namespace {

std::string Kib(std::uint64_t bytes) {
  return std::to_string(bytes / 1024) + " KiB";
}

std::string Mib(std::uint64_t bytes) {
  return std::to_string(bytes / (1024 * 1024)) + " MiB";
}

}  // namespace

std::string DeviceFacts(const DeviceIdentity& identity,
                        const Abilities& abilities) {
  const Multiprocessor& each = abilities.multiprocessor;
  return "compute capability " + std::to_string(identity.compute_major) + "." +
         std::to_string(identity.compute_minor) + ", " +
         std::to_string(abilities.multiprocessors) + " multiprocessors at " +
         std::to_string(abilities.clock_hz / 1'000'000) + " MHz, each with " +
         std::to_string(each.registers) + " registers, " +
         Kib(each.shared_bytes) + " of shared memory, room for " +
         std::to_string(each.threads) + " threads and " +
         std::to_string(each.blocks) + " blocks; L2 " +
         Mib(abilities.l2_bytes) + ", device memory " +
         Mib(abilities.memory_bytes);
}

Environment DeviceEnvironment(const DeviceIdentity& identity,
                              const Toolchain& toolchain,
                              const Abilities* abilities) {
  return {
      .hardware = identity.name,
      .threads = 1,
      .system = SystemName(),
      .driver = identity.driver_version,
      .facts = abilities != nullptr ? DeviceFacts(identity, *abilities) : "",
      .compiler = toolchain.version(),
      .flags = toolchain.Flags(),
      .libraries = {{"glibc", LibraryVersion()}}};
}

}  // namespace coppice::eval::cuda
