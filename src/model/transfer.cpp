// Names of copies and sets, and how to read them.
#include <array>
#include <utility>

#include "model/entities.h"

namespace opsight {
namespace {

constexpr std::array<std::string_view, 8> kMemoryNames = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"};
constexpr std::array<std::string_view, static_cast<size_t>(CopyKind::kCount)> kCopyNames = {
    "Unknown", "HtoD", "DtoH", "HtoA", "AtoH",     "AtoA",     "AtoD",
    "DtoA",    "DtoD", "HtoH", "PtoP", "UVM HtoD", "UVM DtoH", "UVM DtoD"};

// As PyTorch has them of Intel's devices (PTI): what the driver knows nothing of is memory of the system.
constexpr std::pair<std::string_view, MemoryKind> kPtiMemoryNames[] = {
    {"MEMORY(Unknown)", MemoryKind::kPageable},
    {"HOST", MemoryKind::kPinned},
    {"DEVICE", MemoryKind::kDevice},
    {"SHARED", MemoryKind::kManaged}};
// M and H are of the host, D of the device; S is of both, so that what has it is not told.
constexpr std::pair<std::string_view, CopyKind> kPtiCopyNames[] = {
    {"M2D", CopyKind::kHostToDevice}, {"H2D", CopyKind::kHostToDevice},   {"D2M", CopyKind::kDeviceToHost},
    {"D2H", CopyKind::kDeviceToHost}, {"D2D", CopyKind::kDeviceToDevice}, {"M2M", CopyKind::kHostToHost},
    {"M2H", CopyKind::kHostToHost},   {"H2M", CopyKind::kHostToHost},     {"H2H", CopyKind::kHostToHost}};

MemoryKind memory_kind_of(std::string_view name) {
    for (size_t i = 0; i < kMemoryNames.size(); ++i)
        if (kMemoryNames[i] == name) return static_cast<MemoryKind>(i);
    for (const auto& [told, kind] : kPtiMemoryNames)
        if (told == name) return kind;
    return name.empty() ? MemoryKind::kUnspecified : MemoryKind::kUnknown;
}

CopyKind copy_kind_of(std::string_view name) {
    for (size_t i = 0; i < kCopyNames.size(); ++i)
        if (kCopyNames[i] == name) return static_cast<CopyKind>(i);
    for (const auto& [told, kind] : kPtiCopyNames)
        if (told == name) return kind;
    return CopyKind::kUnspecified;
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
    constexpr std::string_view kArrow = " -> ";
    const size_t arrow = inside.find(kArrow);
    const std::string_view to = arrow == inside.npos ? inside : inside.substr(arrow + kArrow.size());
    if (name == "Memset") {
        transfer.to = memory_kind_of(to);  // "Memset (Device)"; of PTI with the value: "Memset (0 -> DEVICE)"
        return transfer;
    }
    if (name == "Memcpy") transfer.copy = copy_kind_of(inside);  // "Memcpy (HtoD)"
    constexpr std::string_view kPrefix = "Memcpy ";
    if (!name.starts_with(kPrefix)) return transfer;
    name.remove_prefix(kPrefix.size());
    transfer.copy = copy_kind_of(name);
    if (arrow != inside.npos) {
        transfer.from = memory_kind_of(inside.substr(0, arrow));
        transfer.to = memory_kind_of(to);
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
