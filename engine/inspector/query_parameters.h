// One request to a route: what its parameters say, and the database they name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/http/request.h"
#include "engine/inspector/files.h"
#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice::inspector {

class Inspector;

// A campaign with a connection to its file.
struct Chosen {
  std::size_t file = 0;
  Files::Loan loan;
  store::CampaignRow campaign;

  store::Database& database() { return *loan; }
};

class QueryParameters {
 public:
  QueryParameters(Inspector& inspector, const http::Request& request)
      : inspector_(inspector), request_(request) {}

  Inspector& inspector() const { return inspector_; }
  const http::Request& request() const { return request_; }

  // The number in a parameter.  kUsage: it is not there, or no whole number
  // from 0 on.
  Result<std::int64_t> Count(std::string_view name) const;
  Result<std::int64_t> CountOr(std::string_view name,
                               std::int64_t otherwise) const;
  std::string TextOr(std::string_view name, std::string_view otherwise) const;

  // The database that `db` names; without it, the first.
  Result<std::size_t> File() const;
  // A connection to it, for so long.
  Result<Files::Loan> Borrow(std::size_t file,
                             double seconds = kPatience_s) const;
  // The campaign that `c` names in it.  kNotFound: there is none.
  Result<Chosen> Choose() const;

  static constexpr double kPatience_s = 20.0;

 private:
  Inspector& inspector_;
  const http::Request& request_;
};

}  // namespace coppice::inspector
