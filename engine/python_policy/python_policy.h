// A policy that is a class in a file of Python's, behind the seam of
// search/policy.h.
//
// It is asked in a child process, which is told of each change of the tree.
// One that dies, is too late, or chooses what may not be chosen fails, and goes
// on failing: another choice in its place would be another policy.  That it is
// a pure function of the tree is not believed: each sixteenth decision is asked
// again of a second child, which is told of the tree from nothing.
#pragma once

#include <memory>
#include <string_view>

#include "store/records/result.h"

namespace coppice::search {
class Policy;
}

namespace coppice::engine {

struct PolicyFile;
struct PythonTerms;

// Starts a child, which others of its kind use, too.  kUsage: the class is
// none, or there is no Python.
Result<std::unique_ptr<search::Policy>> MakePythonPolicy(
    const PolicyFile& policy, const PythonTerms& terms);

// Reads the file that `typed` names, and makes its policy known to
// search::MakePolicy for as long as this process lives.  What is wrong with it
// shows where it is made, and there the child starts.
void LendPythonPolicy(std::string_view typed, const PythonTerms& terms);

}  // namespace coppice::engine
