#include "agents/provider/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <map>

namespace coppice::agents {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A machine's root folder with these files, and what its environment says.
class Machine {
 public:
  explicit Machine(const std::vector<std::string>& files,
                   std::map<std::string, std::string> variables = {})
      : variables_(std::move(variables)) {
    std::string name = (fs::temp_directory_path() / "certificates-XXXXXX");
    root_ = mkdtemp(name.data());
    for (const std::string& file : files) {
      fs::create_directories((root_ / file).parent_path());
      std::ofstream(root_ / file) << "certificates\n";
    }
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() { fs::remove_all(root_); }

  Result<Certificates> Find() const {
    const auto variable = [&](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    };
    return FindCertificates(variable, root_);
  }
  // Below the root; "": none.
  std::string File() const {
    const auto found = Find();
    return found ? fs::relative(found->file, root_).string() : "";
  }

 private:
  std::map<std::string, std::string> variables_;
  fs::path root_;
};

TEST(CertificatesTest, EachDistributionHasAPlaceForThem) {
  for (const char* place :
       {"etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt",
        "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem"}) {
    EXPECT_EQ(Machine({place}).File(), place);
  }
  EXPECT_EQ(
      Machine({"etc/ssl/cert.pem", "etc/ssl/certs/ca-certificates.crt"}).File(),
      "etc/ssl/certs/ca-certificates.crt");
}

TEST(CertificatesTest, WhatTheUserNamesGoesBefore) {
  const std::vector<std::string> debian = {"etc/ssl/certs/ca-certificates.crt"};
  EXPECT_EQ(Machine(debian, {{"SSL_CERT_FILE", "mine.pem"}}).Find()->file,
            "mine.pem");
  EXPECT_EQ(Machine(debian, {{"CURL_CA_BUNDLE", "old.pem"}}).Find()->file,
            "old.pem");
  EXPECT_EQ(Machine(debian, {{"CURL_CA_BUNDLE", "old.pem"},
                             {"SSL_CERT_FILE", "mine.pem"}})
                .Find()
                ->file,
            "mine.pem");
  const auto folder = Machine(debian, {{"SSL_CERT_DIR", "mine"}}).Find();
  EXPECT_EQ(folder->folder, "mine");
  EXPECT_EQ(folder->file, "");
}

TEST(CertificatesTest, WithoutAnyItIsSaidWhatToDo) {
  const auto none = Machine({}, {{"SSL_CERT_FILE", ""}}).Find();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUnavailable);
  EXPECT_THAT(none.error().what,
              HasSubstr("/etc/pki/tls/certs/ca-bundle.crt, "));
  EXPECT_THAT(none.error().what,
              HasSubstr("; install ca-certificates, or name a file in "
                        "SSL_CERT_FILE"));
}

}  // namespace
}  // namespace coppice::agents
