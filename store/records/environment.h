// Where a measurement was made.  Stored once per distinct value.
#pragma once

#include <compare>
#include <string>
#include <utility>
#include <vector>

namespace coppice {

struct Environment {
  std::string hardware;  // "AMD EPYC", "NVIDIA H200".
  int threads = 1;       // That a candidate may use.
  std::string system;    // Kernel name and release.
  std::string driver;    // Of the device, "580.126.09"; empty: it has none.
  // What the hardware is made of, in words: "2 cores, AVX2 (8 floats a vector),
  // ...".
  std::string facts;
  std::string compiler;  // First line of its --version.
  std::string flags;     // As passed to the compiler.
  std::vector<std::pair<std::string, std::string>> libraries;

  auto operator<=>(const Environment&) const = default;
};

}  // namespace coppice
