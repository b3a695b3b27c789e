#include "engine/cli/user_name.h"

#include <pwd.h>
#include <unistd.h>

namespace coppice::cli {

std::string UserName() {
  if (const passwd* user = getpwuid(geteuid())) {
    if (user->pw_name != nullptr && *user->pw_name != '\0') {
      return user->pw_name;
    }
  }
  return "user " + std::to_string(geteuid());
}

}  // namespace coppice::cli
