// Keeps what is of a person's machine out of a file that is given away: keys,
// paths, the names of the host and of the user.
#pragma once

#include <string>
#include <string_view>

namespace coppice::engine {

class Redaction {
 public:
  // Empty: there is none.  Names of less than three characters, "localhost" and
  // "root" say nothing about anybody, and stay.
  struct Names {
    std::string host;
    std::string user;
    std::string home;  // "/home/ann".
  };
  explicit Redaction(Names names);

  // A kernel without keys, the home folder and the host's name, and otherwise
  // as it is.
  std::string OfSource(std::string_view text) const;

  // A log or another remark: the user's name goes, too, and of an absolute path
  // the last part stays: "kernel.cc:3" of "/tmp/x/kernel.cc:3".
  std::string OfRemark(std::string_view text) const;

 private:
  Names names_;
};

}  // namespace coppice::engine
