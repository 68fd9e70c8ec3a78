// Ranges of iterations that somebody named on the page, kept in a small JSON file beside the profile (which
// is never written to) for the next start; in memory only where that file may not be written. Several viewers
// may show one profile: each reads the file again where another has written it.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "query/session/session.h"
#include "server/file_identity.h"

namespace opsight::server {

struct Aggregation {
    std::string id, name;
    query::RangeOptions range;
    std::string found;  // the range that it gave when it was made, as JSON
};

class Aggregations {
  public:
    static constexpr size_t kMost = 200;

    // `profile`: its path. Reads what is kept.
    Aggregations(const std::string& profile, bool read_only);

    std::vector<Aggregation> list();
    std::optional<Aggregation> find(const std::string& id);
    // Under a new id; nothing where there are too many already.
    std::optional<Aggregation> add(std::string name, const query::RangeOptions& range, std::string found);
    bool remove(const std::string& id);
    // Why they are not kept for the next start; empty: they are.
    std::string not_kept_because() const;

  private:
    void read();
    void read_if_changed();
    void write();

    mutable std::mutex mutex_;
    std::string path_, folder_, not_kept_;
    std::optional<FileIdentity> seen_;
    std::vector<Aggregation> list_;
    int64_t next_id_ = 1;
};

// The file beside a profile: "run.opsight-views" of "run.opsight".
std::string aggregations_path(const std::string& profile);

}  // namespace opsight::server
