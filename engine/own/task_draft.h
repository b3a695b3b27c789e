// A task that is made of a function: its definition, root and derived oracle.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/own/source_file.h"
#include "engine/own/source_reader.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine::own {

// How the root's sizes are typed: as tasks have them, or, where its text does
// not compile so, as the function has them.
enum class SizeTypes : std::uint8_t { kOfTasks, kOfFunction };

struct Drafting {
  std::string name;  // Of the task.
  std::string file;  // Its source file, as comments name it.
  SizeTypes sizes = SizeTypes::kOfTasks;
  double tolerance = 8.0;
  std::vector<std::string>
      without;  // Distributions on which it is not defined.
  std::vector<std::string>
      constraints;  // Of sizes; other shapes are not tried.
};

// A task without workloads.  kUsage: a form that there is not, or not for it.
Result<Task> DraftTask(const std::vector<Piece>& pieces, const Reading& reading,
                       const Drafting& drafting);

// These parts of a task's definition and solutions do not depend on its
// language.
Result<Definition> DraftDefinition(const Reading& reading,
                                   const Drafting& drafting);
Solution DraftSolution(const Drafting& drafting, const std::string& author,
                       const std::string& stem, const std::string& entry,
                       std::string text);

// The function with what it needs of its file, as C++.
std::string TextWith(const std::vector<Piece>& pieces, const Piece& function);

// What an array that is updated holds at first has a name of its own.
std::string InputName(const Argument& argument);
// Elements, as a product of sizes.
std::string CountOf(const Reading& reading, const Argument& argument);
bool IsRead(const Argument& argument);
bool IsWritten(const Argument& argument);

using AxisSizes = std::map<std::string, std::int64_t>;

// With the sizes of axes that vary freely; the others follow.  kUsage if one is
// no size.
Result<Workload> WorkloadOf(const Reading& reading, const std::string& name,
                            const AxisSizes& sizes);

std::int64_t ElementsOf(const Reading& reading, const Argument& argument,
                        const Workload& workload);

// Bytes of inputs and results.
double BytesOf(const Reading& reading, const Workload& workload);

// How large axes that no shape says are to begin with, on a scale that is 1 at
// first.
AxisSizes FirstSizes(const Reading& reading, const Wishes& wishes,
                     double scale);

// Three: those, others in another relation to each other, and odd ones.
std::vector<AxisSizes> ThreeSizes(const Reading& reading, const Wishes& wishes,
                                  const AxisSizes& sizes);
// Their workloads, each once.
Result<std::vector<Workload>> ThreeWorkloads(const Reading& reading,
                                             const Wishes& wishes,
                                             const std::string& name,
                                             const AxisSizes& sizes);

}  // namespace coppice::engine::own
