// Whether two runs differ in the number of items that they work on at once.
#pragma once

#include <optional>
#include <string>

#include "query/compare/changes.h"

namespace opsight::query {

// By the shapes of an op's inputs on both sides: the first dimension of the first one that differs in that
// alone. Nothing where none does so.
std::optional<FirstDimensions> first_dimensions(const std::string& base_shapes,
                                                const std::string& next_shapes);

// Where the first dimension grew by one factor in most ops whose shapes differ: so, in words.
std::optional<std::string> batch_hint(const Changes& changes);

}  // namespace opsight::query
