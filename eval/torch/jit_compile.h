// Compiles what a candidate brings for Triton and for torch.compile, which do
// it themselves, where they run.  (load_inline asks for it: extensions.h.)
//
// That takes a compiler and other processes, which nothing that is judged may
// start.  So a candidate whose source mentions such a thing is first loaded and
// called once, on inputs that mean nothing, in a worker that may; what its
// compilers leave in their caches is then given to the one that is judged,
// read-only.  compiling.py makes torch.compile content with that.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice {
struct Candidate;
}

namespace coppice::eval::torch {

class TorchBench;
class KernelWorker;
struct Reaction;

// Whether the source mentions a compiler that torch has.
bool NeedsBuilding(const std::string& source);

// Fills the builder's cache.  What the candidate did wrong meanwhile is a
// verdict: kCompileFailed up to its construction, whatever it is.
// REQUIRES: the builder is ready.
Result<Reaction> Build(KernelWorker& builder, TorchBench& bench,
                       const Candidate& candidate);

// Said of a builder if CopyBuilt() is false.
inline constexpr std::string_view kTooMuchBuilt =
    "its compilers left more than 20,000 files, or 1 GiB";

// Copies what a builder left, of which nothing is trusted: folders and plain
// files, and no links, which would lead out of it here.  False, and a part of
// it, if it is too much.
Result<bool> CopyBuilt(const std::filesystem::path& from,
                       const std::filesystem::path& to);

}  // namespace coppice::eval::torch
