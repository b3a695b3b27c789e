// What the compiler made of a kernel, in words for those who are to improve it:
// which loops became vector code and why others did not, as GCC says itself,
// and the machine code of one loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace coppice::eval {

// Tells the loops of the kernel's own file by what
// -fopt-info-vec-optimized-missed printed, a line each, with at most `bytes` in
// all:
//
//   line 8, `for (int64_t k = 0; k < K; ++k) {`: vectorised, 64 bytes wide
//   line 14, `for (...) {`: not vectorised, complicated access pattern (line
//   15)
//
// A loop of which the compiler made several is vectorised, as wide as the
// widest.  Empty if there is no loop.
std::string TellLoops(std::string_view remarks, std::string_view source,
                      std::size_t bytes);

// From what `objdump -d --no-show-raw-insn -M intel` printed: the loop where
// most samples lie, addresses of that code, but for those in a loop within it.
// Where there are too few: the innermost loop that lies in most others, of
// these the one with the widest registers, of these the longest.  The first
// line says how it was chosen (store/records/hot_loop.h).  At most `bytes` of
// instructions; empty if there is no loop.
std::string TellLoop(std::string_view disassembly,
                     std::span<const std::uint64_t> samples, std::size_t bytes);

}  // namespace coppice::eval
