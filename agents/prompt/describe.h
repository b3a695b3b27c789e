// The facts of a context in words, as prompts give them to agents.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/task.h"

namespace coppice {
struct Plan;
struct Speedup;
}  // namespace coppice

namespace coppice::agents {

struct PromptContext;
struct SearchStanding;
struct Sighting;

std::string_view DTypeName(DType dtype);  // "float32"

std::string_view LanguageName(Language language);  // "C++"

// Markdown lists, one line an item, each ended by '\n'; "- none\n" if empty.
std::string DescribeTensors(const std::vector<TensorSpec>& tensors);
// How far the first floating-point tensor's type rounds, in words: "2^-24".
std::string_view UnitRoundoff(const std::vector<TensorSpec>& outputs);

std::string DescribeAxes(const std::vector<Axis>& axes);
std::string DescribeWorkloads(const std::vector<Workload>& workloads);

// `extern "C" void run(const float* A, float* C, int64_t M)`: inputs, outputs,
// varying axes.  In words if a type has no counterpart in C++.
std::string CppSignature(const Definition& definition,
                         std::string_view entry_symbol);

// ", but `y` holds `y_before`": which outputs hold an input before a call.
// Empty if none does.
std::string DescribeStarts(const Definition& definition);

// "AMD EPYC: 2 processors, AVX2 (8 floats a vector).  Measured at most: ..."
std::string DescribeMachine(const PromptContext& context);

// What the compiler said, and what the run came to.  Logs are cut in the middle
// to `log_bytes`.
std::string DescribeCompilation(const Sighting& sighting,
                                std::size_t log_bytes);
std::string DescribeExecution(const Sighting& sighting, std::size_t log_bytes);

// What is said in the place of a number that may be noise.
inline constexpr std::string_view kNoDifference = "no difference told";

// "1.31x (1.28-1.34)".  A number that may be noise is never told as a fact: "no
// difference told (0.92-1.08)".
std::string TellSpeedup(const Speedup& speedup);

// What limits it, after a space; empty if it was not profiled.
std::string DescribeProfile(const Sighting& sighting);

// "The fastest so far is node 4: ...  This is attempt 7 of 40."; empty if
// nothing is known.
std::string DescribeStanding(const SearchStanding& standing);

// "tile: why and how"; "none" without a plan.
std::string DescribePlan(const std::optional<Plan>& plan);

// A markdown code block with a fence longer than any in `text`, no newline at
// its end.
std::string CodeBlock(std::string_view text, std::string_view tag);
std::string SourceBlock(std::string_view source, Language language);

// `text` if it has at most `bytes`, else its beginning and end, in whole lines
// where they are short, around a line that says how much was left out.
std::string CutMiddle(std::string_view text, std::size_t bytes);

// Four digits and a unit: "1.235 ms".
std::string FormatSeconds(double seconds);

}  // namespace coppice::agents
