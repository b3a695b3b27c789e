// The same for a process that goes on as the program, rather than to execute
// one: eval/torch/fork_server.py loads it.
#include <unistd.h>

#include "eval/sandbox/jail/enter.h"
#include "eval/sandbox/jail/order.h"

// As coppice-jail's main(): returns as the program, which has the descriptors
// below that of the report.  What it was is not to be seen any more, but for
// its memory.
extern "C" [[gnu::visibility("default")]] void coppice_jail_enter(int argc,
                                                                  char** argv) {
  using namespace coppice::eval::jail;
  const Order order = ParseOrder(argc, argv);
  Enter(order);
  close_range(static_cast<unsigned>(order.status_fd), ~0U, 0);
}
