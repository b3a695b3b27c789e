#include "store/write/environments.h"

#include <string>

#include "store/connection.h"
#include "store/digest.h"

namespace coppice::store {
namespace {

Digest Identity(const Environment& environment) {
  FieldHasher hasher;
  hasher.Add(environment.hardware);
  hasher.Add(std::int64_t{environment.threads});
  hasher.Add(environment.system);
  hasher.Add(environment.compiler);
  hasher.Add(environment.flags);
  for (const auto& [name, version] : environment.libraries) {
    hasher.Add(name);
    hasher.Add(version);
  }
  // Formats before 2 had no driver, before 3 no facts; their rows keep their
  // hash.
  const bool has_facts = !environment.facts.empty();
  if (!environment.driver.empty() || has_facts) hasher.Add(environment.driver);
  if (has_facts) hasher.Add(environment.facts);
  return hasher.Finish();
}

}  // namespace

std::optional<EnvironmentId> FindEnvironment(Connection& connection,
                                             const Environment& environment) {
  return connection.Find<EnvironmentId>(
      "SELECT environment_id FROM environment WHERE sha256 = ?",
      Bytes(Identity(environment)));
}

EnvironmentId PutEnvironment(Connection& connection,
                             const Environment& environment) {
  if (const auto found = FindEnvironment(connection, environment)) {
    return *found;
  }
  const Digest identity = Identity(environment);
  connection.Run(
      "INSERT INTO environment (sha256, hardware, threads, system,"
      " driver, compiler, flags, facts)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      Bytes(identity), environment.hardware, environment.threads,
      environment.system, environment.driver, environment.compiler,
      environment.flags, environment.facts);
  const auto id = static_cast<EnvironmentId>(connection.LastRowId());
  for (std::size_t i = 0; i < environment.libraries.size(); ++i) {
    connection.Run(
        "INSERT INTO environment_library (environment_id, position, name,"
        " version) VALUES (?, ?, ?, ?)",
        id, i, environment.libraries[i].first, environment.libraries[i].second);
  }
  return id;
}

Result<Environment> LoadEnvironment(Connection& connection, EnvironmentId id) {
  Environment environment;
  {
    Statement read = connection.Prepare(
        "SELECT hardware, threads, system, driver, compiler, flags, facts"
        " FROM environment WHERE environment_id = ?");
    if (!read.Bind(id).Step()) {
      return connection.FailHere(
          Errc::kCorrupt, "environment " +
                              std::to_string(static_cast<std::int64_t>(id)) +
                              " is missing");
    }
    environment.hardware = read.Text(0);
    environment.threads = read.As<int>(1);
    environment.system = read.Text(2);
    environment.driver = read.Text(3);
    environment.compiler = read.Text(4);
    environment.flags = read.Text(5);
    environment.facts = read.Text(6);
  }
  Statement libraries = connection.Prepare(
      "SELECT name, version FROM environment_library WHERE environment_id = ?"
      " ORDER BY position",
      id);
  while (libraries.Step()) {
    environment.libraries.emplace_back(libraries.Text(0), libraries.Text(1));
  }
  return environment;
}

}  // namespace coppice::store
