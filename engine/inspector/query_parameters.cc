#include "engine/inspector/query_parameters.h"

#include "engine/inspector/inspector.h"
#include "engine/process/terminal_text.h"
#include "store/records/parse_number.h"

namespace coppice::inspector {

Result<std::int64_t> QueryParameters::CountOr(std::string_view name,
                                              std::int64_t otherwise) const {
  const auto text = request_.Query(name);
  if (!text || text->empty()) return otherwise;
  if (const auto number = ParseCount(*text)) return *number;
  return Fail(Errc::kUsage, std::string(name) + "=" + engine::OneLine(*text) +
                                ": give a whole number, 0 or more");
}

Result<std::int64_t> QueryParameters::Count(std::string_view name) const {
  if (!request_.Query(name)) {
    return Fail(Errc::kUsage, std::string(name) +
                                  " is missing: " + request_.path + "?" +
                                  std::string(name) + "=NUMBER");
  }
  return CountOr(name, 0);
}

std::string QueryParameters::TextOr(std::string_view name,
                                    std::string_view otherwise) const {
  const auto text = request_.Query(name);
  return text && !text->empty() ? *text : std::string(otherwise);
}

Result<std::size_t> QueryParameters::File() const {
  TRY(number, CountOr("db", 0));
  return static_cast<std::size_t>(number);
}

Result<Files::Loan> QueryParameters::Borrow(std::size_t file,
                                            double seconds) const {
  return inspector_.files().Borrow(file, inspector_.Deadline(seconds));
}

Result<Chosen> QueryParameters::Choose() const {
  TRY(file, File());
  TRY(loan, Borrow(file));
  const auto name = request_.Query("c");
  if (!name) {
    return Fail(Errc::kUsage, "c is missing: " + request_.path + "?c=CAMPAIGN");
  }
  TRY(campaign, store::Campaigns(*loan).Find(*name));
  return Chosen{file, std::move(loan), std::move(campaign)};
}

}  // namespace coppice::inspector
