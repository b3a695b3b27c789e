// Whether a file has the tables, indexes and views of our format, and no more.
// Others may be a stranger's: a trigger, a view that tells something else, or
// never ends.  Private to this folder.
#pragma once

#include <string>
#include <vector>

namespace coppice::store {

class Connection;

// A line for everything that is missing, is none of ours, or is in other words;
// comments and spaces aside.  So are names of stored numbers that are others.
//
// REQUIRES: the file is of this program's format.
std::vector<std::string> FindStrange(Connection& connection);

}  // namespace coppice::store
