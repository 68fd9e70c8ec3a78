#include "import/choose.h"

#include <fmt/format.h>

#include "import/all_readers.h"
#include "import/unread.h"

namespace opsight::importer {
namespace {

Choice conflict(const Head& head, const Reader& one, const Reader& other) {
    Choice choice;
    choice.is_conflict = true;
    choice.refusal = {
        fmt::format("is claimed by two readers: that of {}, and that of {}", one.name, other.name),
        head.path(),
        {},
        "give a file that only one of them wrote"};
    return choice;
}

// Of readers that look at a text once more, much farther, what the only one says that claims it.
const Reader* look_far(const Head& head, Readers readers) {
    const Reader* found = nullptr;
    for (const Reader& reader : readers) {
        if (!reader.sniff_far || reader.sniff_far(head) == Claim::kNone) continue;
        if (found) return nullptr;
        found = &reader;
    }
    return found;
}

struct Claims {
    const Reader *certain = nullptr, *also_certain = nullptr, *possible = nullptr, *also_possible = nullptr;
};

Claims claims_on(const Head& head, Readers readers) {
    Claims claims;
    for (const Reader& reader : readers) {
        const Claim claim = reader.sniff(head);
        if (claim == Claim::kCertain) (claims.certain ? claims.also_certain : claims.certain) = &reader;
        if (claim == Claim::kPossible) (claims.possible ? claims.also_possible : claims.possible) = &reader;
    }
    return claims;
}

}  // namespace

Choice choose_reader(const Head& head, Readers readers) {
    if (Unread spoilt = spoilt_kind(head); spoilt.certain)
        return {nullptr, {std::move(spoilt.what), head.path(), {}, std::move(spoilt.remedy)}, false};
    const auto [certain, also_certain, possible, also_possible] = claims_on(head, readers);
    if (also_certain) return conflict(head, *certain, *also_certain);
    if (certain) return {certain, {}, false};
    Unread unread = unread_kind(head);
    if (also_possible && !unread.certain) return conflict(head, *possible, *also_possible);
    if (possible && !unread.certain) return {possible, {}, false};
    if (!unread.certain)
        if (const Reader* far = look_far(head, readers)) return {far, {}, false};
    if (unread.remedy.empty()) unread.remedy = what_is_read(readers);
    return {nullptr, {std::move(unread.what), head.path(), {}, std::move(unread.remedy)}, false};
}

}  // namespace opsight::importer
