#include "eval/sandbox/jail/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "eval/host/argv.h"

namespace coppice::eval::jail {
namespace {

using testing::ElementsAre;
using testing::ExitedWithCode;

// Words between blanks, behind the program's name.
Order Parse(const std::string& line) {
  std::vector<std::string> words = {"sandbox"};
  std::istringstream text(line);
  for (std::string word; text >> word;) words.push_back(word);
  std::vector<char*> pointers = ArgvOf(words);
  return ParseOrder(static_cast<int>(words.size()), pointers.data());
}

// "KIND FROM -> TO", with what is special about it.
std::string TextOf(const Item& item) {
  const char* kind = item.kind == ItemKind::kBind    ? "bind "
                     : item.kind == ItemKind::kTmpfs ? "tmpfs "
                     : item.kind == ItemKind::kProc  ? "proc "
                                                     : "link ";
  return kind + item.from + " -> " + item.to +
         (item.writable ? " writable" : "") + (item.devices ? " devices" : "") +
         (item.optional ? " optional" : "") +
         (item.bytes.empty() ? "" : " of " + item.bytes);
}

std::vector<std::string> Items(const std::string& line) {
  std::vector<std::string> texts;
  for (const Item& item : Parse("--json-status-fd 3 " + line + " -- x").items) {
    texts.push_back(TextOf(item));
  }
  return texts;
}

TEST(OrderTest, BindsHaveNoMoreRightsThanTheirNameSays) {
  EXPECT_THAT(Items("--ro-bind /a /b --ro-bind-try /c /d"),
              ElementsAre("bind /a -> /b", "bind /c -> /d optional"));
  EXPECT_THAT(
      Items("--bind /a /b --bind-try /c /d"),
      ElementsAre("bind /a -> /b writable", "bind /c -> /d writable optional"));
  EXPECT_THAT(Items("--dev-bind /a /b --dev-bind-try /c /d"),
              ElementsAre("bind /a -> /b writable devices",
                          "bind /c -> /d writable devices optional"));
}

TEST(OrderTest, ItemsStayInTheirOrder) {
  EXPECT_THAT(
      Items("--symlink usr/lib /lib --size 16 --tmpfs /tmp --proc /proc "
            "--tmpfs /var"),
      ElementsAre("link usr/lib -> /lib", "tmpfs  -> /tmp of 16",
                  "proc  -> /proc", "tmpfs  -> /var of 16"));
}

// The size before it; that of what comes later is another's.
TEST(OrderTest, AFileSystemHasTheSizeThatWasSaidLast) {
  EXPECT_THAT(
      Items("--tmpfs /a --size 1 --tmpfs /b --size 2 --tmpfs /c"),
      ElementsAre("tmpfs  -> /a", "tmpfs  -> /b of 1", "tmpfs  -> /c of 2"));
}

TEST(OrderTest, TheRestIsTheProgram) {
  const Order order = Parse(
      "--unshare-all --die-with-parent --cap-drop ALL --json-status-fd 7 "
      "--clearenv --hostname box --chdir /tmp --setenv A 1 --setenv B =2 "
      "--remount-ro / -- /program --size -- 5");
  EXPECT_EQ(order.status_fd, 7);
  EXPECT_EQ(order.hostname, "box");
  EXPECT_EQ(order.directory, "/tmp");
  EXPECT_THAT(order.environment, ElementsAre("A=1", "B==2"));
  EXPECT_THAT(order.command, ElementsAre("/program", "--size", "--", "5"));
  EXPECT_TRUE(order.items.empty());
}

TEST(OrderTest, WhatIsNotSaidIsLeftAsItIs) {
  const Order order = Parse("--json-status-fd 0 -- x");
  EXPECT_EQ(order.status_fd, 0);
  EXPECT_EQ(order.hostname, "sandbox");
  EXPECT_EQ(order.directory, "/");
  EXPECT_TRUE(order.environment.empty());
}

// Who asks for what it does not know would be put where it is not safe.
TEST(OrderDeathTest, WhatMakesNoSenseStartsNothing) {
  const auto refuses = [](const char* line, const char* why) {
    EXPECT_EXIT(Parse(line), ExitedWithCode(1),
                std::string("sandbox: ") + why + ": Invalid argument");
  };
  refuses("--json-status-fd 3 --share-net -- x",
          "option --share-net is not known");
  refuses("--json-status-fd 3 -- ", "no program, or no --json-status-fd");
  refuses("--clearenv -- x", "no program, or no --json-status-fd");
  refuses("--json-status-fd 3", "the command line ends early");
  refuses("--json-status-fd 3 --setenv A", "the command line ends early");
  refuses("--json-status-fd 3 --ro-bind /a b -- x", "b is not absolute");
  refuses("--json-status-fd 3 --tmpfs tmp -- x", "tmp is not absolute");
  refuses("--json-status-fd 3 --symlink a lib -- x", "lib is not absolute");
}

}  // namespace
}  // namespace coppice::eval::jail
