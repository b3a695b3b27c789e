// byte_product(i): a product of two matrices of 8-bit integers, summed in 32
// bits, by the processor's instruction for that, which multiplies bytes in
// groups of four.  byte_product(i, threads) shares the rows among threads.
//
//   for i { for j { for k { sum += A[i * K + k] * B[k * N + j]; } ... sum } }
// becomes
//   ProductOfBytes(A, ..., products);
//   for i { for j { sum += products[i * N + j]; ... sum } }
// Sums wrap as 32 bits do, so the result is exact.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome ByteProduct(const Site& site, const Stmt& loop,
                    const Technique& technique);

}  // namespace coppice::agents::catalogue
