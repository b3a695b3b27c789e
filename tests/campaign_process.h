// For tests: the program as a process that is started, waited for, and killed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "store/records/random.h"

namespace coppice {

using Arguments = std::vector<std::string>;

// In a directory of the running test's own, which is removed at the end; each
// of several in one test has a `place` below it.  Used by one thread at a time.
class CampaignProcesses {
 public:
  explicit CampaignProcesses(const std::string& place = "");
  ~CampaignProcesses();
  CampaignProcesses(const CampaignProcesses&) = delete;
  CampaignProcesses& operator=(const CampaignProcesses&) = delete;

  const std::filesystem::path& directory() const { return directory_; }

  std::filesystem::path Database(const std::string& name) const {
    return directory_ / (name + ".db");
  }

  // `die_at_commit`: the number of the commit after which it kills itself.
  pid_t Start(const Arguments& arguments,
              const std::string& die_at_commit = "") const;

  // The status of waitpid().
  static int Wait(pid_t child);

  // The program's output; fails the test unless it exits with 0.
  std::string Succeed(const Arguments& arguments) const;

  // The number of rows of "nodes WHERE node > 0".
  int Count(const std::filesystem::path& database,
            const std::string& rows) const;

  struct Fired {
    int kills = 0;
    int exit_code = 0;  // Of the one that ended by itself.
  };
  // Starts `arguments` again and again, killing each after at most `longest`,
  // until one ends by itself.  Each may live a tenth longer than the one
  // before, lest nothing is ever done where all is slow.  `killed` is called
  // after each kill.
  Fired RunUnderFire(
      const Arguments& arguments, RandomStream& stream,
      std::chrono::microseconds longest,
      const std::function<void()>& killed = [] {}) const;

  // What must hold of a campaign that has done its `budget`, however often and
  // with however many attempts at a time it was killed: every attempt has its
  // node, each answer that was stored made something of one attempt or was
  // refused once, and no decision was made otherwise than it would be again.
  void ExpectEachAnswerUsedOnce(const std::filesystem::path& database,
                                int budget) const;

  // What the last process printed.
  std::string Output() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace coppice
