// What torch makes of a task in PyTorch by itself: its Model as it is, and
// compiled by torch.compile.  Measured as candidates are, in the place of one.
//
// They are stored under the names that KernelBench has for them, so that files
// of baseline times have the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/candidate.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {

enum class TorchBaseline : std::uint8_t { kEager, kCompile, kMaxAutotune };

// As users write it: "max-autotune".
std::string_view NameOf(TorchBaseline baseline);

// As it is stored: "torch_compile_inductor_max-autotune".
std::string StoredName(TorchBaseline baseline);

// kUsage names the nearest.
Result<TorchBaseline> ParseTorchBaseline(const std::string& name);

// "eager,compile", "all" or "none"; each once, in the order of the names.
Result<std::vector<TorchBaseline>> ParseTorchBaselines(const std::string& list);

// Trusted: whatever the task's rule of delegation, torch may do the work.
// kUsage: the task is not in PyTorch.
Result<Candidate> CandidateOf(TorchBaseline baseline, const Task& task);

}  // namespace coppice::engine
