#include "import/xplane/details.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <vector>

namespace opsight::importer::xplane {
namespace {

constexpr int64_t kMostRegisters = 1024;  // of a thread; NVIDIA has 255, AMD 512

int64_t number_of(std::string_view text, int64_t otherwise = -1) {
    int64_t value = otherwise;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

// The words of "key:value key:value", parted by blanks or line ends.
template <class Take>
void each_fact(std::string_view text, Take take) {
    constexpr std::string_view kBlank = " \t\n\r";
    while (!text.empty()) {
        const size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
        text.remove_prefix(begin);
        const std::string_view word = text.substr(0, text.find_first_of(kBlank));
        text.remove_prefix(word.size());
        if (const size_t colon = word.find(':'); colon != word.npos)
            take(word.substr(0, colon), word.substr(colon + 1));
    }
}

void read_axes(std::string_view text, int64_t (&axes)[3]) {
    for (int64_t& axis : axes) {
        const std::string_view each = text.substr(0, text.find(','));
        axis = number_of(each);
        text.remove_prefix(std::min(each.size() + 1, text.size()));
    }
}

MemoryKind memory_kind(std::string_view text) {
    constexpr std::pair<std::string_view, MemoryKind> kKinds[] = {
        {"pageable", MemoryKind::kPageable},
        {"pinned", MemoryKind::kPinned},
        {"device", MemoryKind::kDevice},
        {"array", MemoryKind::kArray},
        {"managed", MemoryKind::kManaged},
        {"device_static", MemoryKind::kDeviceStatic},
        {"managed_static", MemoryKind::kManagedStatic}};
    for (const auto& [name, kind] : kKinds)
        if (text == name) return kind;
    return MemoryKind::kUnspecified;
}

CopyKind copy_kind(std::string_view name) {
    constexpr std::pair<std::string_view, CopyKind> kKinds[] = {
        {"H2D", CopyKind::kHostToDevice},   {"HostToDevice", CopyKind::kHostToDevice},
        {"D2H", CopyKind::kDeviceToHost},   {"DeviceToHost", CopyKind::kDeviceToHost},
        {"D2D", CopyKind::kDeviceToDevice}, {"DeviceToDevice", CopyKind::kDeviceToDevice},
        {"P2P", CopyKind::kPeerToPeer},     {"PeerToPeer", CopyKind::kPeerToPeer},
        {"H2H", CopyKind::kHostToHost},     {"HostToHost", CopyKind::kHostToHost}};
    for (const auto& [part, kind] : kKinds)
        if (name.ends_with(part)) return kind;
    return CopyKind::kUnknown;
}

// Types of XLA as PyTorch names them, which profiles keep.
std::string_view torch_name(std::string_view type) {
    constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"f32", "float"},
                                                                        {"bf16", "c10::BFloat16"},
                                                                        {"f16", "c10::Half"},
                                                                        {"f64", "double"},
                                                                        {"s32", "int"},
                                                                        {"s64", "long int"},
                                                                        {"s8", "signed char"},
                                                                        {"u8", "unsigned char"},
                                                                        {"pred", "bool"},
                                                                        {"s16", "short int"},
                                                                        {"c64", "c10::complex<float>"},
                                                                        {"f8e4m3fn", "c10::Float8_e4m3fn"},
                                                                        {"f8e5m2", "c10::Float8_e5m2"}};
    for (const auto& [own, other] : kTypes)
        if (type == own) return other;
    return type;
}

bool is_type_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Reads shapes "f32[2,3]{1,0:T(8,128)}" out of a text.
void read_shapes(std::string_view text, OperandShapes& to) {
    for (size_t open = text.find('['); open != text.npos; open = text.find('[', open + 1)) {
        size_t begin = open;
        while (begin > 0 && is_type_char(text[begin - 1]))
            --begin;
        const size_t close = text.find(']', open);
        if (close == text.npos) break;
        if (begin == open) continue;
        std::vector<int64_t> sizes;
        for (std::string_view dims = text.substr(open + 1, close - open - 1); !dims.empty();) {
            std::string_view dim = dims.substr(0, dims.find(','));
            dims.remove_prefix(std::min(dim.size() + 1, dims.size()));
            if (dim.starts_with("<=")) dim.remove_prefix(2);  // at most so many
            sizes.push_back(number_of(dim, 0));
        }
        to.add(text.substr(begin, open - begin), sizes);
    }
}

// The end of a stretch that begins with a bracket, one behind the one that closes it.
size_t behind_brackets(std::string_view text, size_t at) {
    int depth = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '(' || text[at] == '{' || text[at] == '[') ++depth;
        if ((text[at] == ')' || text[at] == '}' || text[at] == ']') && --depth <= 0) return at + 1;
    }
    return text.size();
}

}  // namespace

void OperandShapes::begin(std::string_view type) {
    const char* comma = any_ ? ", " : "";
    any_ = first_size_ = true;
    fmt::format_to(std::back_inserter(dtypes_), "{}\"{}\"", comma, torch_name(type));
    fmt::format_to(std::back_inserter(shapes_), "{}[", comma);
}

void OperandShapes::size_is(int64_t size, int64_t& count) {
    fmt::format_to(std::back_inserter(shapes_), "{}{}", first_size_ ? "" : ", ", size);
    first_size_ = false;
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) count = 0;
}

void OperandShapes::end(int64_t count) {
    if (__builtin_add_overflow(elements_, count, &elements_)) elements_ = 0;
    shapes_ += ']';
}

LaunchConfig read_launch(std::string_view details, bool& odd) {
    LaunchConfig config;
    odd = false;
    each_fact(details, [&](std::string_view key, std::string_view value) {
        if (key == "grid") read_axes(value, config.grid);
        if (key == "block") read_axes(value, config.block);
        if (key == "regs") config.registers_per_thread = number_of(value);
        if (key == "static_shared" || key == "group_mem") config.static_shared_bytes = number_of(value);
        if (key == "dynamic_shared") config.dynamic_shared_bytes = number_of(value);
        if (key == "private_mem") config.local_bytes_per_thread = number_of(value);
        if (key == "occ_pct") {  // 0 where it was not worked out
            double percent = 0;
            std::from_chars(value.data(), value.data() + value.size(), percent);
            if (percent > 0 && percent <= 100) config.source_occupancy_pct = percent;
        }
    });
    if (config.registers_per_thread > kMostRegisters) {
        odd = true;
        config.registers_per_thread = config.static_shared_bytes = config.dynamic_shared_bytes = -1;
    }
    return config;
}

Copy read_copy(std::string_view name, std::string_view details) {
    Copy copy;
    copy.transfer.copy = copy_kind(name);
    each_fact(details, [&](std::string_view key, std::string_view value) {
        if (key == "size" || key == "num_bytes") copy.bytes = number_of(value);
        if (key == "kind_src") copy.transfer.from = memory_kind(value);
        if (key == "kind_dst" || key == "kind") copy.transfer.to = memory_kind(value);
    });
    return copy;
}

std::optional<Instruction> read_instruction(std::string_view text) {
    if (!text.starts_with('%')) return std::nullopt;
    text.remove_prefix(1);
    const size_t equals = text.find(" = ");
    if (equals == text.npos) return std::nullopt;
    Instruction result;
    result.name = text.substr(0, equals);
    text.remove_prefix(equals + 3);
    // The shape: a tuple in brackets, or one word.
    size_t end = text.starts_with('(') ? behind_brackets(text, 0) : text.find(' ');
    if (end >= text.size()) return std::nullopt;
    OperandShapes out, in;
    read_shapes(text.substr(0, end), out);
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const size_t open = text.find('(');
    if (open == text.npos) return std::nullopt;
    result.opcode = text.substr(0, open);
    read_shapes(text.substr(open, behind_brackets(text, open) - open), in);
    if (out.any()) result.out_elements = out.elements();
    if (!in.any()) return result;
    result.in_elements = in.elements();
    result.shapes = in.shapes();
    result.dtypes = in.dtypes();
    return result;
}

std::string_view without_metadata(std::string_view name) {
    if (!name.ends_with('#')) return name;
    const size_t hash = name.find('#');
    return hash + 1 < name.size() && name.find('=', hash) != name.npos ? name.substr(0, hash) : name;
}

std::string_view metadata_value(std::string_view name, std::string_view key) {
    const size_t hash = name.find('#');
    if (hash == name.npos) return {};
    std::string_view rest = name.substr(hash + 1);
    while (!rest.empty()) {
        const std::string_view fact = rest.substr(0, rest.find_first_of(",#"));
        rest.remove_prefix(std::min(fact.size() + 1, rest.size()));
        if (fact.size() > key.size() && fact.starts_with(key) && fact[key.size()] == '=')
            return fact.substr(key.size() + 1);
    }
    return {};
}

bool is_tensorflow_op(std::string_view name) {
    const size_t colon = name.find(':');
    if (colon == 0 || colon == name.npos || colon + 1 >= name.size() || name.rfind(':') != colon)
        return false;
    const auto is_path = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '/' || c == '.' || c == '-' || c == '>';
    };
    const std::string_view path = name.substr(0, colon), type = name.substr(colon + 1);
    return std::all_of(path.begin(), path.end(), is_path) && type[0] >= 'A' && type[0] <= 'Z' &&
           std::all_of(type.begin(), type.end(), [&](char c) { return c != '/' && c != '.' && is_path(c); });
}

}  // namespace opsight::importer::xplane
