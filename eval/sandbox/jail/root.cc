// Uses the mount calls of Linux 5.12: each mount exists detached, with the
// flags it is to have, before it gets its place.  So nothing is ever visible
// with more rights than asked for, and sources may lie below what is covered.
#include "eval/sandbox/jail/root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace coppice::eval::jail {
namespace {

constexpr unsigned kDetachedTree =
    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;

// -1 if it is optional and does not exist.
int DetachTree(const Item& item) {
  const int tree = open_tree(AT_FDCWD, item.from.c_str(), kDetachedTree);
  if (tree < 0 && errno == ENOENT && item.optional) return -1;
  if (tree < 0) Fail("bind " + item.from);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NOSUID;
  if (!item.writable) attributes.attr_set |= MOUNT_ATTR_RDONLY;
  if (!item.devices) attributes.attr_set |= MOUNT_ATTR_NODEV;
  if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                    sizeof attributes) != 0) {
    Fail("bind " + item.from + " (Linux 5.12 or later is needed)");
  }
  return tree;
}

int NewFileSystem(const char* type, const std::string& bytes,
                  unsigned attributes) {
  const int context = fsopen(type, FSOPEN_CLOEXEC);
  if (context < 0) Fail(std::string("fsopen ") + type);
  const auto set = [&](const char* key, const char* value) {
    if (fsconfig(context, FSCONFIG_SET_STRING, key, value, 0) != 0) {
      Fail(std::string(type) + " " + key + "=" + value);
    }
  };
  if (std::string(type) == "tmpfs") set("mode", "0755");
  if (!bytes.empty()) set("size", bytes.c_str());
  int made = -1;
  if (fsconfig(context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0) {
    made = fsmount(context, FSMOUNT_CLOEXEC,
                   attributes | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  }
  if (made < 0) Fail(std::string("mount ") + type);
  close(context);
  return made;
}

// Detached; -1 where there is nothing to mount.
int Detached(const Item& item) {
  switch (item.kind) {
    case ItemKind::kBind:
      return DetachTree(item);
    case ItemKind::kTmpfs:
      return NewFileSystem("tmpfs", item.bytes, 0);
    case ItemKind::kProc:
      return NewFileSystem("proc", "", MOUNT_ATTR_NOEXEC);
    case ItemKind::kSymlink:
      return -1;
  }
  return -1;
}

void Attach(int mount, const std::string& to) {
  if (move_mount(mount, "", AT_FDCWD, to.c_str(), MOVE_MOUNT_F_EMPTY_PATH) !=
      0) {
    Fail("mount at " + to);
  }
  close(mount);
}

void MakeParents(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos;
       at = path.find('/', at + 1)) {
    const std::string parent = path.substr(0, at);
    struct stat there {};
    if (mkdir(parent.c_str(), 0755) != 0 && stat(parent.c_str(), &there) != 0) {
      Fail("mkdir " + parent);
    }
  }
}

// A directory or an empty file, as what is mounted over it.
void MakePlace(int mount, const std::string& to) {
  struct stat source {
  }, there{};
  if (fstat(mount, &source) != 0) Fail("stat for " + to);
  if (stat(to.c_str(), &there) == 0) return;
  if (S_ISDIR(source.st_mode)) {
    if (mkdir(to.c_str(), 0755) != 0) Fail("mkdir " + to);
    return;
  }
  const int file = open(to.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) Fail("create " + to);
  close(file);
}

// The former root is stacked upon the new one until it is let go.
void PivotInto(const char* place) {
  if (chdir(place) != 0) Fail(std::string("chdir ") + place);
  if (syscall(SYS_pivot_root, ".", ".") != 0) Fail("pivot_root");
  if (umount2(".", MNT_DETACH) != 0) Fail("umount of the former root");
  if (chdir("/") != 0) Fail("chdir /");
}

}  // namespace

void EnterRoot(const std::vector<Item>& items) {
  umask(0);
  // What is mounted here is not to be seen outside.
  if (mount(nullptr, "/", nullptr, MS_SLAVE | MS_REC, nullptr) != 0) {
    Fail("mount propagation");
  }
  std::vector<int> mounts;
  for (const Item& item : items) mounts.push_back(Detached(item));

  constexpr char kPlace[] = "/tmp";  // Any directory that is always there.
  Attach(NewFileSystem("tmpfs", "", 0), kPlace);
  PivotInto(kPlace);
  for (std::size_t i = 0; i < items.size(); ++i) {
    MakeParents(items[i].to);
    if (items[i].kind == ItemKind::kSymlink) {
      if (symlink(items[i].from.c_str(), items[i].to.c_str()) != 0) {
        Fail("symlink " + items[i].to);
      }
    } else if (mounts[i] >= 0) {
      MakePlace(mounts[i], items[i].to);
      Attach(mounts[i], items[i].to);
    }
  }
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  if (mount_setattr(AT_FDCWD, "/", 0, &read_only, sizeof read_only) != 0) {
    Fail("read-only root");
  }
}

}  // namespace coppice::eval::jail
