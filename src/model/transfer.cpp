// Names of copies and sets, and how to read them.
#include <array>

#include "model/entities.h"

namespace opsight {
namespace {

constexpr std::array<std::string_view, 8> kMemoryNames = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"};
constexpr std::array<std::string_view, static_cast<size_t>(CopyKind::kCount)> kCopyNames = {
    "Unknown", "HtoD", "DtoH", "HtoA", "AtoH",     "AtoA",     "AtoD",
    "DtoA",    "DtoD", "HtoH", "PtoP", "UVM HtoD", "UVM DtoH", "UVM DtoD"};

MemoryKind memory_kind_of(std::string_view name) {
    for (size_t i = 0; i < kMemoryNames.size(); ++i)
        if (kMemoryNames[i] == name) return static_cast<MemoryKind>(i);
    return name.empty() ? MemoryKind::kUnspecified : MemoryKind::kUnknown;
}

// Cuts "(a)" off the end and gives back a.
std::string_view take_bracket(std::string_view& text) {
    const size_t open = text.rfind(" (");
    if (open == text.npos || !text.ends_with(')')) return {};
    const std::string_view inside = text.substr(open + 2, text.size() - open - 3);
    text = text.substr(0, open);
    return inside;
}

}  // namespace

std::string_view memory_kind_name(MemoryKind kind) {
    const auto index = static_cast<size_t>(kind);
    return index < kMemoryNames.size() ? kMemoryNames[index] : std::string_view();
}

std::string_view copy_kind_name(CopyKind kind) {
    const auto index = static_cast<size_t>(kind);
    return index < kCopyNames.size() ? kCopyNames[index] : std::string_view();
}

Transfer transfer_of_name(std::string_view name) {
    Transfer transfer;
    const std::string_view inside = take_bracket(name);
    if (name == "Memset") {
        transfer.to = memory_kind_of(inside);
        return transfer;
    }
    constexpr std::string_view kPrefix = "Memcpy ";
    if (!name.starts_with(kPrefix)) return transfer;
    name.remove_prefix(kPrefix.size());
    for (size_t i = 0; i < kCopyNames.size(); ++i)
        if (kCopyNames[i] == name) transfer.copy = static_cast<CopyKind>(i);
    constexpr std::string_view kArrow = " -> ";
    if (const size_t arrow = inside.find(kArrow); arrow != inside.npos) {
        transfer.from = memory_kind_of(inside.substr(0, arrow));
        transfer.to = memory_kind_of(inside.substr(arrow + kArrow.size()));
    }
    return transfer;
}

std::string name_of_copy(const Transfer& transfer) {
    std::string name = "Memcpy";
    if (const std::string_view kind = copy_kind_name(transfer.copy); !kind.empty())
        name.append(" ").append(kind);
    if (transfer.from != MemoryKind::kUnspecified && transfer.to != MemoryKind::kUnspecified)
        name.append(" (")
            .append(memory_kind_name(transfer.from))
            .append(" -> ")
            .append(memory_kind_name(transfer.to))
            .append(")");
    return name;
}

std::string name_of_set(const Transfer& transfer) {
    std::string name = "Memset";
    if (transfer.to != MemoryKind::kUnspecified)
        name.append(" (").append(memory_kind_name(transfer.to)).append(")");
    return name;
}

}  // namespace opsight
