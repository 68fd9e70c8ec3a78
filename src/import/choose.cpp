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

}  // namespace

Choice choose_reader(const Head& head, Readers readers) {
    const Reader *certain = nullptr, *possible = nullptr, *also_possible = nullptr;
    for (const Reader& reader : readers) {
        const Claim claim = reader.sniff(head);
        if (claim == Claim::kCertain && certain) return conflict(head, *certain, reader);
        if (claim == Claim::kCertain) certain = &reader;
        if (claim == Claim::kPossible) (possible ? also_possible : possible) = &reader;
    }
    if (certain) return {certain, {}, false};
    Unread unread = unread_kind(head);
    if (also_possible && !unread.certain) return conflict(head, *possible, *also_possible);
    if (possible && !unread.certain) return {possible, {}, false};
    if (unread.remedy.empty()) unread.remedy = what_is_read(readers);
    return {nullptr, {std::move(unread.what), head.path(), {}, std::move(unread.remedy)}, false};
}

}  // namespace opsight::importer
