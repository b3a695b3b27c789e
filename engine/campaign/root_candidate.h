// What a campaign begins with.
#pragma once

namespace coppice {
struct Candidate;
struct Task;
}  // namespace coppice

namespace coppice::engine {

// The task's root as a candidate.
Candidate RootCandidate(const Task& task);

}  // namespace coppice::engine
