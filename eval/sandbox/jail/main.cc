// coppice-jail: does with name spaces what eval/sandbox/sandbox.cc otherwise
// asks of bubblewrap, for machines that have none.  Same command line, same
// report.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "eval/host/argv.h"
#include "eval/sandbox/jail/enter.h"
#include "eval/sandbox/jail/order.h"

namespace coppice::eval::jail {
namespace {

// Says so on `failed` if the program cannot be executed.
[[noreturn]] void Execute(Order& order, int failed) {
  // It gets what lies below the report, and no more.
  fcntl(failed, F_SETFD, FD_CLOEXEC);
  if (dup2(failed, order.status_fd) < 0) _exit(1);
  fcntl(order.status_fd, F_SETFD, FD_CLOEXEC);
  close_range(static_cast<unsigned>(order.status_fd) + 1, ~0U, 0);
  const std::vector<char*> environment = ArgvOf(order.environment);
  const std::vector<char*> command = ArgvOf(order.command);
  execve(command[0], command.data(), environment.data());
  const int error = errno;
  if (write(order.status_fd, "x", 1) != 1) _exit(1);
  errno = error;
  Fail("exec " + order.command[0]);
}

}  // namespace
}  // namespace coppice::eval::jail

int main(int argc, char** argv) {
  using namespace coppice::eval::jail;
  Order order = ParseOrder(argc, argv);
  const int failed = Enter(order);
  Execute(order, failed);
}
