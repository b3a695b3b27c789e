#include "eval/sandbox/jail/order.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace coppice::eval::jail {
namespace {

class Parser {
 public:
  Parser(int argc, char** argv) : next_(argv + 1), end_(argv + argc) {}

  Order Parse() {
    for (std::string option = Take(); option != "--"; option = Take()) {
      if (!Path(option) && !Setting(option)) {
        Refuse("option " + option + " is not known");
      }
    }
    order_.command.assign(next_, end_);
    if (order_.command.empty() || order_.status_fd < 0) {
      Refuse("no program, or no --json-status-fd");
    }
    return std::move(order_);
  }

 private:
  [[noreturn]] static void Refuse(const std::string& what) {
    errno = EINVAL;
    Fail(what);
  }

  std::string Take() {
    if (next_ == end_) Refuse("the command line ends early");
    return *next_++;
  }

  void Add(Item item) {
    if (!item.to.starts_with('/')) Refuse(item.to + " is not absolute");
    order_.items.push_back(std::move(item));
  }

  Item Bind() {
    Item item{.kind = ItemKind::kBind, .from = Take(), .to = "", .bytes = ""};
    item.to = Take();
    return item;
  }

  bool Path(std::string_view option) {
    if (option.ends_with("bind") || option.ends_with("bind-try")) {
      Item item = Bind();
      item.optional = option.ends_with("-try");
      item.writable = !option.starts_with("--ro-");
      item.devices = option.starts_with("--dev-");
      Add(std::move(item));
    } else if (option == "--symlink") {
      Item item = Bind();
      item.kind = ItemKind::kSymlink;
      Add(std::move(item));
    } else if (option == "--tmpfs") {
      Add({.kind = ItemKind::kTmpfs,
           .from = "",
           .to = Take(),
           .bytes = bytes_});
    } else if (option == "--proc") {
      Add({.kind = ItemKind::kProc, .from = "", .to = Take(), .bytes = ""});
    } else {
      return false;
    }
    return true;
  }

  bool Setting(std::string_view option) {
    if (option == "--size") {
      bytes_ = Take();
    } else if (option == "--hostname") {
      order_.hostname = Take();
    } else if (option == "--chdir") {
      order_.directory = Take();
    } else if (option == "--setenv") {
      const std::string name = Take();
      order_.environment.push_back(name + "=" + Take());
    } else if (option == "--json-status-fd") {
      order_.status_fd = std::atoi(Take().c_str());
    } else if (option == "--cap-drop" || option == "--remount-ro") {
      Take();  // All of them, and the root: always done.
    } else {
      // These, too.
      return option == "--unshare-all" || option == "--die-with-parent" ||
             option == "--clearenv";
    }
    return true;
  }

  char** next_;
  char** end_;
  std::string bytes_;
  Order order_;
};

}  // namespace

void Fail(const std::string& what) {
  dprintf(STDERR_FILENO, "sandbox: %s: %s\n", what.c_str(),
          std::strerror(errno));
  _exit(1);
}

Order ParseOrder(int argc, char** argv) { return Parser(argc, argv).Parse(); }

}  // namespace coppice::eval::jail
