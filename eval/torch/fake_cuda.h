// What a test sees and decides of a CUDA driver and runtime that are none:
// memory is reserved addresses, a descriptor is of an empty file.
#pragma once

#include <string>
#include <vector>

namespace coppice::eval::torch {

inline constexpr int kFakeInvalid = 1;
inline constexpr int kFakeOutOfMemory = 2;
inline constexpr int kFakeFailure = 900;

struct FakeCudaState {
  std::vector<std::string> calls{};  // But for those that change nothing.
  std::string fails{};               // The call that does, with kFakeFailure.
  bool is_full = false;
  int exported = 0;
  int held = 0;  // Handles, addresses and mappings.
};

__attribute__((visibility("default"))) FakeCudaState& FakeCuda();

}  // namespace coppice::eval::torch
