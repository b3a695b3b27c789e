// FlashInfer-Bench's own comparison (version 0.1.2, with its defaults): a share
// of the elements must match.
#pragma once

#include "eval/torch/contestant.h"
#include "eval/torch/verdicts.h"
#include "store/records/task.h"

namespace coppice::eval::torch {

// The share that it asks for: 0.95 of what is called moe_fp8_block_scale, all
// elements of anything else.
double LeastMatched(const Definition& definition);

// With both as float32, an element y does not match r if
//
//   |y - r| > 0.01   and   |y - r| / (|r| + 1e-8) > 0.01
//
// which is false where r is no number, or infinite.  An output fails if any
// element of it is NaN or infinite, whatever r is, or too few match.
// `judgement` gets the verdict and the errors of output `i` of `outputs`.
// REQUIRES: equal shapes and types.
void Match(const Returned& returned, const Returned& expected,
           double least_matched, std::size_t i, std::size_t outputs,
           Judgement& judgement);

}  // namespace coppice::eval::torch
