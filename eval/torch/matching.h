// FlashInfer-Bench's own comparison: a share of the elements must match.
#pragma once

#include <cstddef>

namespace coppice {
struct Task;
}
namespace coppice::eval {
struct Judgement;
}

namespace coppice::eval::torch {

struct Matching;
struct Returned;

// What a task's configuration says; where that says no share, 0.95 of what is
// called moe_fp8_block_scale, and all elements of anything else.
Matching MatchingOf(const Task& task);

// With both as float32, an element y does not match r if
//
//   |y - r| > atol   and   |y - r| / (|r| + 1e-8) > rtol
//
// which is false where r is no number, or infinite.  An output fails if any
// element of it is NaN or infinite, whatever r is, or too few match.
// `judgement` gets the verdict and the errors of output `i` of `outputs`.
// REQUIRES: equal shapes and types.
void Match(const Returned& returned, const Returned& expected,
           const Matching& matching, std::size_t i, std::size_t outputs,
           Judgement& judgement);

}  // namespace coppice::eval::torch
