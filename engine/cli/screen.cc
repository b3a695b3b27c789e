#include "engine/cli/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string_view>

namespace coppice::cli {
namespace {

volatile std::sig_atomic_t ended_by = 0;

void OnEnd(int signal) { ended_by = signal; }
void OnResize(int) {}  // It ends a wait, and that is all.

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};

// The second screen, which keeps the first as it is, and no cursor.
constexpr std::string_view kEnterScreen = "\033[?1049h\033[?25l\033[H\033[2J";
constexpr std::string_view kLeaveScreen = "\033[?25h\033[?1049l";
// A terminal that knows these shows what is between them at once.
constexpr std::string_view kBeginPicture = "\033[?2026h\033[H";
constexpr std::string_view kEndPicture = "\033[J\033[?2026l";

// What cannot be written is not shown.
void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

winsize SizeNow() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

}  // namespace

Screen::Screen() {
  ended_by = 0;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGWINCH ? OnResize : OnEnd;
    sigaction(kSignals[i], &action, &handled_[i]);
  }
  has_keys_ = tcgetattr(STDIN_FILENO, &before_) == 0;
  Enter();
}

Screen::~Screen() {
  Leave();
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &handled_[i], nullptr);
  }
}

void Screen::Enter() {
  if (has_keys_) {
    termios raw = before_;
    // Keys come at once and unseen; Ctrl-C is a signal still, and Ctrl-Z a key.
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  Write(kEnterScreen);
}

void Screen::Leave() {
  Write(kLeaveScreen);
  if (has_keys_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

int Screen::columns() const {
  const int columns = SizeNow().ws_col;
  return columns > 0 ? columns : 80;
}

int Screen::rows() const {
  const int rows = SizeNow().ws_row;
  return rows > 0 ? rows : 24;
}

void Screen::Show(const std::vector<std::string>& lines) {
  std::string text(kBeginPicture);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += lines[i] + "\033[K";
  }
  text += kEndPicture;
  Write(text);
}

std::optional<char> Screen::Key(double seconds) {
  pollfd input{has_keys_ ? STDIN_FILENO : -1, POLLIN, 0};
  const int milliseconds =
      static_cast<int>(std::lround(std::max(seconds, 0.0) * 1e3));
  if (poll(&input, 1, milliseconds) <= 0) return std::nullopt;
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) == 1) return key;
  has_keys_ = false;  // The terminal is gone, or somebody else reads it.
  return std::nullopt;
}

int Screen::EndedBy() { return ended_by; }

void Screen::Suspend() {
  Leave();
  std::raise(SIGSTOP);
  Enter();
}

}  // namespace coppice::cli
