// Where a program can reach nothing of ours, by name spaces.
#pragma once

#include "eval/sandbox/jail/order.h"

namespace coppice::eval::jail {

// Makes three processes of one: this, which our parent waits for and kills; the
// first of the new process name space, which sets everything up, then only
// waits and reports, and with whose end the kernel ends all others; and the
// program's, in which alone this returns, with a descriptor: a byte written to
// it says that the program cannot be had, its end that it runs.  For a process
// of one thread.
int Enter(const Order& order);

}  // namespace coppice::eval::jail
