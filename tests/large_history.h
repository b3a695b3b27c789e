// A file with one large campaign, for measuring what answers cost as it grows.
//
// Its rows are of the kinds and sizes that a search with language models
// leaves: each node with its attempt, one model call (a repair) or two with a
// request or two each, a plan, an evaluation with three workloads if it passed,
// and an event.  One node in 100 hangs below the root, 40 below one of the 20
// fastest, the others below any.  Half of them pass; 3 in 100 have the tokens
// of another; one passing in 500 was evaluated again, and a tenth of these were
// refuted.  Three policies chose, one of them rarely.
//
// Texts are those of a few attempts that the store wrote itself, shared by all;
// there are no samples, windows and profiles.  Costs are multiples of 2^-14
// dollars, and times of 2^-4 seconds, so that sums of them are exact.
#pragma once

#include <cstdint>
#include <filesystem>

namespace coppice {

inline constexpr const char* kLargeCampaign = "large";

// Its task is gemm_square.  Rows are written as they lie, and the seals and
// sums of the schema then worked out by what `coppice db doctor --repair
// --reseal` does.
void BuildLargeHistory(const std::filesystem::path& file, std::int64_t nodes);

}  // namespace coppice
