// What the processor is made of, in words for who writes kernels for it.
#pragma once

#include <filesystem>
#include <string>

namespace coppice::eval {

// "2 processors, AVX-512 (16 floats a vector), FMA, caches: L1 data 48 KiB,
// L2 1 MiB, L3 32 MiB for 2 of them".  What the kernel does not tell is left
// out.  `cpuinfo` and `cpus` are /proc/cpuinfo and /sys/devices/system/cpu.
std::string ProcessorFacts(
    int processors, const std::filesystem::path& cpuinfo = "/proc/cpuinfo",
    const std::filesystem::path& cpus = "/sys/devices/system/cpu");

}  // namespace coppice::eval
