// Ranges that name a layer by its number, "FSDP::pre_forward (block.14)": an iteration runs the same layers
// as the one before, a part of one pass runs others.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace opsight::analyze {

// The number behind a word for a layer, "layers.3", "encoder/block_3"; nothing where there is none.
std::optional<int64_t> layer_number(std::string_view name);

// Whether the ranges within most of the stretches that begin at `begins` (rising; the last one ends at `end`)
// name other layers than those within the stretch before. Cost: linear in the ranges of the rank.
bool are_parts_of_a_pass(const Profile& profile, RankId rank, const std::vector<int64_t>& begins,
                         int64_t end);

}  // namespace opsight::analyze
