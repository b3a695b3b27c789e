// For benchmarks: campaigns of any size, on a task whose sources nobody runs:
// what one is worth is drawn from its text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace coppice {
struct Evaluation;
struct Task;
}  // namespace coppice
namespace coppice::engine {
class Clock;
}

namespace coppice {

inline constexpr std::size_t kPlantedBytes = 8192;  // Of a source.

const engine::Clock& TheClock();

Task PlantedTask();

// Two thirds pass, in 1 to 2 seconds.
Evaluation JudgePlanted(std::string_view source);

// Root and `nodes` more, of which each has some three children.  In a process
// of its own, whose memory is not ours.
void PlantCampaign(const std::filesystem::path& file, std::int64_t nodes);

}  // namespace coppice
