// What the verbs that have kernels judged open, and wait by.
#pragma once

#include <filesystem>
#include <memory>

#include "store/records/result.h"

namespace coppice::engine {
class CampaignFactory;
class Display;
class OutageListener;
}  // namespace coppice::engine

namespace coppice::cli {

struct Invocation;
struct Streams;

// What runs candidates.  kUnavailable, with what to do, if the program came
// without it.
Result<std::filesystem::path> RunnerOf(const Invocation& invocation);

Result<std::unique_ptr<engine::CampaignFactory>> OpenFactory(
    const Invocation& invocation);

// Says on stderr what is waited for, where nothing else is said meanwhile.
engine::OutageListener Listen(engine::CampaignFactory& factory,
                              Streams& streams);

// Shows it there.
engine::OutageListener Listen(engine::CampaignFactory& factory,
                              engine::Display& display);

}  // namespace coppice::cli
