#include "engine/cli/listening.h"

#include <ostream>

namespace coppice::cli {

bool WarnIfOthersReach(const std::string& address, Streams& streams) {
  const bool is_loopback = address.starts_with("127.") || address == "::1";
  if (is_loopback) return false;
  streams.err << "warning: " << address
              << " is reached from other machines, and what is sent is not "
                 "encrypted; a tunnel is safer: ssh -L\n";
  return true;
}

}  // namespace coppice::cli
