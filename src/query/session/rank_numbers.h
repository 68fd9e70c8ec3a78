// The numbers that ranks have in their job. Rows of a profile know their rank by its place in it (ranks.id).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "query/session/session.h"

namespace opsight::query {

class RankNumbers {
  public:
    static Result<RankNumbers> read(Session& session);
    int64_t of(int64_t rank) const;       // by ranks.id; of a rank that the profile does not have that itself
    std::optional<int64_t> only() const;  // where there is one rank

  private:
    std::unordered_map<int64_t, int64_t> numbers_;
};

}  // namespace opsight::query
