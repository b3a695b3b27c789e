// What coppice-jail is asked to do: the part of bubblewrap's command line that
// eval/sandbox/sandbox.cc uses, with the same meaning.
#pragma once

#include <string>
#include <vector>

namespace coppice::eval::jail {

enum class ItemKind { kBind, kTmpfs, kProc, kSymlink };

// Something to be found at `to`, an absolute path in the new root.
struct Item {
  ItemKind kind;
  std::string from;  // A bind's is a path outside; a link's is what it says.
  std::string to;
  bool writable = false;
  bool devices = false;   // Device nodes work.
  bool optional = false;  // No harm if `from` does not exist.
  std::string bytes;      // Of a tmpfs.
};

struct Order {
  std::vector<Item> items;  // In order: later ones may lie in earlier ones.
  std::string hostname = "sandbox";
  std::string directory = "/";
  std::vector<std::string> environment;  // NAME=value.
  std::vector<std::string> command;
  int status_fd = -1;  // The program gets all descriptors below it.
};

// Ends the process, with a line on standard error, if it makes no sense.
Order ParseOrder(int argc, char** argv);

// Ends the process on any failure: "sandbox: WHAT: errno's text", then exit
// status 1.
[[noreturn]] void Fail(const std::string& what);

}  // namespace coppice::eval::jail
