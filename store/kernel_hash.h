// When two sources are one kernel: equal tokens, whatever their comments and
// layout.  Such a kernel is judged once in a campaign.
//
// What may not be told by tokens keeps sources apart: the plan lines (//@) of
// CUDA sources count as they stand, and a source that could see its own layout
// (__LINE__, a stringised argument, inspect, assembly that reads its file, a
// header with macros that are not known here), or of which it is hard to tell
// where its lines and literals end, counts byte by byte, as does one of a
// language without rules here.  So of two equal kernels one may be judged
// again, but two different ones are never taken for one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/records/candidate.h"

namespace coppice::store {

// A canonical spelling of the source: its tokens, each ended by a line feed, or
// its bytes where these count.
std::string TokensOf(Language language, std::string_view source);

// 8 bytes of the SHA-256 of language, entry symbol and tokens; never 0.
std::uint64_t KernelHash(const Candidate& candidate);

// The same as it was before 0.3, when sources with assembly or any header were
// told by tokens: files of that time have it.
std::uint64_t KernelHashBefore(const Candidate& candidate);

}  // namespace coppice::store
