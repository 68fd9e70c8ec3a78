// Where the calls of one thread stand among those of others that tell the same names in the same order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opsight::analyze {

// Calls of a thread in the order in which they began.
struct Sequence {
    std::vector<uint32_t> names;
    std::vector<int64_t> numbers;  // beside it: autograd's; below 0: not told
};

// `length` calls, from `here` on, are those of a thread from `there` on.
struct Place {
    size_t thread = 0, here = 0, there = 0, length = 0;
};

struct FoundPlace {
    std::optional<Place> place;
    std::string why;  // where there is none: "fit nowhere in the trace"
};

// The one place where all that both tell is the same. Of several it is that which autograd's numbers confirm.
// Calls of which only a part lies in the thread, or the thread's in them, are taken where numbers confirm it,
// or where the whole thread fits in one way and is long. A place whose numbers differ is none. Cost: linear
// in each pair of threads, and what it takes to compare the numbers of each place.
FoundPlace find_place(const Sequence& calls, std::span<const Sequence> threads);

}  // namespace opsight::analyze
