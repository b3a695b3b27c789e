// The whole of a terminal, for a picture that is drawn again in place.  What
// was on it before is there again when it ends, however it ends but by SIGKILL.
#pragma once

#include <termios.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::cli {

class Screen {
 public:
  // Takes the terminal of standard output, and keys from standard input if that
  // is one, too.  One at a time in a process.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  int columns() const;
  int rows() const;

  // Shows these lines in place of what is shown.  A line is no wider than the
  // terminal.
  void Show(const std::vector<std::string>& lines);

  // The next key, or none within so many seconds; a change of the terminal's
  // size and a signal end the wait.
  std::optional<char> Key(double seconds);

  // Ctrl-C, SIGTERM, or the end of the terminal: the number of the signal.
  static int EndedBy();

  // Gives the terminal back and stops the process, as Ctrl-Z asks; goes on from
  // here when it is continued.
  void Suspend();

 private:
  void Enter();
  void Leave();

  bool has_keys_ = false;
  termios before_{};
  struct sigaction handled_[4]{};
};

}  // namespace coppice::cli
