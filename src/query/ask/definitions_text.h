// The tables of docs/metrics.md as the build embeds them (scripts/embed_definitions.py).
#pragma once

#include <span>
#include <string_view>

namespace opsight::query {

struct DefinedWords {
    std::string_view section, words, meaning;
};
extern const std::span<const DefinedWords> kDefinitions;

}  // namespace opsight::query
