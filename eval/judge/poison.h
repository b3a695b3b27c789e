// What outputs hold before a call, so that an element which is not written
// shows, and so does a write beside the tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/records/task.h"

namespace coppice::eval {

// An eight-byte pattern.  For floats it is, by turns, some NaNs with
// random payloads and some ordinary numbers in [1/16, 16): a kernel that
// tests for NaN, or that accumulates into what it finds, is caught either way.
enum class PoisonKind { kNan, kFinite };
std::uint64_t MakePoison(std::uint64_t random, DType dtype, PoisonKind kind);

// Fills all pages of an output, its slack included.
void Poison(std::span<std::byte> pages, std::uint64_t pattern);

// True if the slack on both sides of the tensor, which is that part of them,
// still holds the pattern.
bool SlackIntact(std::span<const std::byte> pages, std::size_t offset,
                 std::size_t bytes, std::uint64_t pattern);

}  // namespace coppice::eval
