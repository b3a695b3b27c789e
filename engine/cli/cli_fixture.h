// For tests: runs the command line in this process, on a database of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/load.h"
#include "engine/documents/verb.h"
#include "store/database.h"
#include "store/scratch.h"

namespace coppice::cli {

struct Said {
  Exit exit = Exit::kDone;
  std::string out;
  std::string err;
};

// What `verb` is told by the words after it, as if typed.
Invocation AsTyped(const Verb& verb, const std::vector<std::string>& words,
                   const config::Surroundings& surroundings = {});

class Rehearsal {
 public:
  // x.db holds campaign "a" on task matmul: the root, 4 s; 1, 2 s, below it;
  // 2, which crashed, below it; and 3, 1 s, below 1.
  Rehearsal();

  // The program's own files are there, as in a build: what is simulated can be
  // judged.
  void Install();

  // As if typed: Say({"show", "3"}), with --db x.db where the verb has it.
  Said Say(std::vector<std::string> words, const std::string& input = {});
  // The same with another file of the test for --db.
  Said SayIn(const std::string& file, std::vector<std::string> words,
             const std::string& input = {});
  // The same without --db.
  Said SayBare(const std::vector<std::string>& words,
               const std::string& input = {});

  // Writes a file of that name, in folders that are made for it: its path.
  std::string Put(const std::string& name, const std::string& text) const;
  static std::string ReadBack(const std::filesystem::path& path);

  std::filesystem::path File(const std::string& name) const {
    return directory_.File(name);
  }
  std::string Path() const { return File("x.db").string(); }
  store::Database& database() { return database_; }
  CampaignId campaign() const { return campaign_; }

  config::Surroundings surroundings;
  bool terminal = false;  // With colour.
  int columns = 80;       // Of the terminal.

 private:
  store::ScratchDirectory directory_;
  store::Database database_;
  CampaignId campaign_;
};

}  // namespace coppice::cli
