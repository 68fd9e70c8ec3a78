#include "import/onednn/line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <vector>

namespace opsight::importer::onednn {
namespace {

constexpr size_t kMostFields = 24;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::vector<std::string_view> split(std::string_view text, char separator, size_t most = kMostFields) {
    std::vector<std::string_view> parts;
    while (parts.size() + 1 < most) {
        const size_t end = text.find(separator);
        if (end == text.npos) break;
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

constexpr int64_t kMostMs = INT64_MAX / 1000000 / 4;

// "1.5e-05"; -1: no such number.
int64_t rounded_ns(std::string_view ms) {
    double value = 0;
    const auto [end, error] = std::from_chars(ms.data(), ms.data() + ms.size(), value);
    const bool good = error == std::errc() && end == ms.data() + ms.size() && value >= 0 &&
                      value <= static_cast<double>(kMostMs);
    return good ? static_cast<int64_t>(value * 1e6 + 0.5) : -1;
}

// Milliseconds as ns, digit by digit where they are written so: a double would round times since 1970.
int64_t ms_to_ns(std::string_view text) {
    int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error != std::errc() || whole < 0 || whole > kMostMs) return rounded_ns(text);
    std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
    if (rest.starts_with('.')) rest.remove_prefix(1);
    if (!std::all_of(rest.begin(), rest.end(), is_digit)) return rounded_ns(text);
    int64_t ns = whole * 1000000, place = 100000;
    for (size_t i = 0; i < rest.size() && place > 0; ++i, place /= 10)
        ns += (rest[i] - '0') * place;
    return ns;
}

// Behind the operation: engine, primitive, implementation, direction, memory, attributes, auxiliary, problem,
// time. Before 1.6 without attributes, in MKL-DNN without engine, in its first releases without
// implementation.
bool read_primitive(const std::vector<std::string_view>& fields, size_t first, Line& line) {
    const size_t count = fields.size() - first;
    if (count < 6 || count > 9) return false;
    size_t at = first;
    if (count > 7) line.engine = fields[at++];
    line.primitive = fields[at++];
    if (count > 6) line.implementation = fields[at++];
    line.direction = fields[at++];
    line.memory = fields[at++];
    if (count == 9) line.attributes = fields[at++];
    line.auxiliary = fields[at++];
    line.problem = fields[at++];
    std::string_view ms = fields[at];
    while (ms.starts_with(' '))
        ms.remove_prefix(1);
    line.dur_ns = ms_to_ns(ms);
    return line.dur_ns >= 0 && !line.primitive.empty();
}

// "mb2_ic3oc64_ih224": sizes by name.
std::map<std::string_view, int64_t> named_sizes(std::string_view problem) {
    std::map<std::string_view, int64_t> sizes;
    for (size_t at = 0; at < problem.size();) {
        if (problem[at] == '_') {
            ++at;
            continue;
        }
        const size_t first = at;
        while (at < problem.size() && problem[at] >= 'a' && problem[at] <= 'z')
            ++at;
        int64_t size = 0;
        const auto [end, error] = std::from_chars(problem.data() + at, problem.data() + problem.size(), size);
        if (at == first || error != std::errc()) return {};
        sizes[problem.substr(first, at - first)] = size;
        at = static_cast<size_t>(end - problem.data());
    }
    return sizes;
}

// Sizes of those names that there are.
std::string list_of(const std::map<std::string_view, int64_t>& sizes,
                    std::initializer_list<std::string_view> names, std::string text) {
    for (const std::string_view name : names)
        if (const auto found = sizes.find(name); found != sizes.end())
            text += fmt::format("{}{}", text.empty() ? "" : ", ", found->second);
    return "[" + text + "]";
}

bool has_weights(std::string_view primitive) {
    return primitive == "convolution" || primitive == "inner_product";
}

std::string shapes_by_name(std::string_view primitive, std::string_view problem) {
    const std::map<std::string_view, int64_t> sizes = named_sizes(problem);
    if (!sizes.contains("mb") || !sizes.contains("ic")) return {};
    std::string shapes = list_of(sizes, {"mb", "ic", "id", "ih", "iw"}, {});
    if (has_weights(primitive) && sizes.contains("oc")) {
        const auto groups = sizes.find("g");
        const int64_t parts = groups == sizes.end() ? 1 : std::max<int64_t>(1, groups->second);
        const bool kernel = primitive == "convolution";
        const std::string first = fmt::format("{}, {}", sizes.at("oc"), sizes.at("ic") / parts);
        shapes += ", " + (kernel ? list_of(sizes, {"kd", "kh", "kw"}, first)
                                 : list_of(sizes, {"id", "ih", "iw"}, first));
    }
    return "[" + shapes + "]";
}

// "2x3x4" as "[2, 3, 4]"; empty: it is no such list.
std::string list_of_sizes(std::string_view text) {
    std::string list;
    for (const std::string_view size : split(text, 'x')) {
        if (size.empty() || size.size() > 18 || !std::all_of(size.begin(), size.end(), is_digit)) return {};
        list += fmt::format("{}{}", list.empty() ? "" : ", ", size);
    }
    return "[" + list + "]";
}

// Of the inputs; an empty one is no list.
std::vector<std::string> lists_of(std::string_view primitive, std::string_view problem) {
    std::vector<std::string_view> tensors = split(problem, ':');
    if (primitive == "matmul" && tensors.size() > 2) tensors.resize(2);
    std::vector<std::string> lists;
    for (const std::string_view tensor : tensors)
        lists.push_back(list_of_sizes(tensor));
    return lists;
}

bool is_type(std::string_view text) {
    constexpr std::string_view kTypes[] = {"f32",     "f64", "f16",     "bf16",    "s32",     "s8",
                                           "u8",      "s4",  "u4",      "f8_e5m2", "f8_e4m3", "f4_e2m1",
                                           "f4_e3m0", "s64", "boolean", "e8m0"};
    return std::find(std::begin(kTypes), std::end(kTypes), text) != std::end(kTypes);
}

// The type and the layout of "in:f32_nchw" and "out:f32_nChw8c", as reorders of MKL-DNN tell them.
std::optional<std::pair<std::string_view, std::string_view>> old_tensor(
    const std::vector<std::string_view>& parts) {
    if (parts.size() != 2 || (parts[0] != "in" && parts[0] != "out")) return std::nullopt;
    const size_t behind_type = parts[1].find('_');
    if (behind_type == std::string_view::npos) return std::nullopt;
    return std::pair(parts[1].substr(0, behind_type), parts[1].substr(behind_type + 1));
}

// "f32" of "dst_f32::blocked:abcd:f0" and "dst:f32:ap:blocked:abcd::f0", whose second part are flags; empty:
// undefined, or not a type.
std::string type_of_tensor(std::string_view tensor) {
    const std::vector<std::string_view> parts = split(tensor, ':', 3);
    if (parts.size() < 2) return {};
    if (const auto old = old_tensor(parts)) return is_type(old->first) ? std::string(old->first) : "";
    if (is_type(parts[1])) return std::string(parts[1]);
    // Types have underscores, too.
    for (size_t at = parts[0].find('_'); at != parts[0].npos; at = parts[0].find('_', at + 1))
        if (is_type(parts[0].substr(at + 1))) return std::string(parts[0].substr(at + 1));
    return {};
}

bool is_result(std::string_view tensor) {
    return tensor.starts_with("dst") || tensor.starts_with("diff_dst") || tensor.starts_with("out:");
}

std::string type_of_result(std::string_view memory) {
    for (const std::string_view tensor : split(memory, ' ', 64))
        if (is_result(tensor)) return type_of_tensor(tensor);
    return {};
}

// "abcd" of "src_f32::blocked:abcd::f0", "nChw8c" of "in:f32_nChw8c"; with what strides and flags stand
// behind it. Empty: not told.
std::string_view layout_of_tensor(std::string_view tensor) {
    constexpr std::string_view kBlocked = ":blocked:", kNoFlags = ":f0";
    if (const size_t at = tensor.find(kBlocked); at != tensor.npos) {
        std::string_view layout = tensor.substr(at + kBlocked.size());
        if (layout.ends_with(kNoFlags)) layout.remove_suffix(kNoFlags.size());
        while (layout.ends_with(':'))
            layout.remove_suffix(1);
        return layout;
    }
    const auto old = old_tensor(split(tensor, ':', 3));
    return old ? old->second : std::string_view();
}

// "32x64" and "64x128" as "[32, 128]", with the larger of each size of a batch; empty: not such matrices.
std::string product_of(std::string_view left, std::string_view right) {
    const std::vector<std::string_view> a = split(left, 'x'), b = split(right, 'x');
    const size_t axes = a.size();
    if (axes < 2 || b.size() != axes || a[axes - 1] != b[axes - 2]) return {};
    std::string sizes;
    for (size_t axis = 0; axis + 2 < axes; ++axis) {
        if (a[axis] != b[axis] && a[axis] != "1" && b[axis] != "1") return {};
        sizes += fmt::format("{}x", a[axis] == "1" ? b[axis] : a[axis]);
    }
    return list_of_sizes(fmt::format("{}{}x{}", sizes, a[axes - 2], b[axes - 1]));
}

// Of a problem told in lists; up to version 2 the result of a product stands behind its inputs.
std::string result_sizes(const Line& line) {
    const std::vector<std::string_view> tensors = split(line.problem, ':');
    if (line.primitive == "reorder") return list_of_sizes(tensors.back());
    if (line.primitive != "matmul" || tensors.size() < 2) return {};
    return tensors.size() > 2 ? list_of_sizes(tensors.back()) : product_of(tensors[0], tensors[1]);
}

}  // namespace

std::optional<std::string_view> behind_marker(std::string_view text) {
    for (const std::string_view marker : {"onednn_verbose,", "mkldnn_verbose,", "dnnl_verbose,"})
        if (const size_t at = text.find(marker); at != text.npos) return text.substr(at + marker.size());
    return std::nullopt;
}

Line read_line(std::string_view text) {
    Line line;
    const std::vector<std::string_view> fields = split(text, ',');
    size_t at = 0;
    if (fields[at].size() == 2 && fields[at][0] == 'v' && is_digit(fields[at][1]) && fields.size() > 1) ++at;
    if (!fields[at].empty() && is_digit(fields[at][0]) && fields.size() > at + 1) {
        line.begin_ns = ms_to_ns(fields[at++]);
        if (line.begin_ns < 0) line.kind = LineKind::kBad;
    }
    const bool component = fields[at] == "primitive" || fields[at] == "graph" || fields[at] == "common";
    if (component && fields.size() > at + 1) {
        if (fields[at] == "graph") return line;  // partitions, whose primitives have lines of their own
        ++at;
    }
    line.operation = fields[at];
    if (line.operation == "info") {
        line.kind = LineKind::kInfo;
        line.info = text.substr(static_cast<size_t>(fields[at].data() + fields[at].size() - text.data()));
        if (line.info.starts_with(',')) line.info.remove_prefix(1);
        return line;
    }
    const bool created = line.operation == "create" || line.operation.starts_with("create:cache_");
    if (line.operation != "exec" && !created) return line;
    if (line.kind == LineKind::kBad || !read_primitive(fields, at + 1, line))
        line.kind = LineKind::kBad;
    else
        line.kind = created ? LineKind::kCreation : LineKind::kExecution;
    return line;
}

std::string shapes_of(std::string_view primitive, std::string_view problem) {
    if (problem.empty() || problem.size() > 1024) return {};
    if (!is_digit(problem[0])) return shapes_by_name(primitive, problem);
    std::string shapes;
    for (const std::string& list : lists_of(primitive, problem)) {
        if (list.empty()) return {};
        shapes += (shapes.empty() ? "" : ", ") + list;
    }
    return "[" + shapes + "]";
}

size_t count_of_inputs(std::string_view primitive, std::string_view problem) {
    if (shapes_of(primitive, problem).empty()) return 0;
    if (is_digit(problem[0])) return lists_of(primitive, problem).size();
    return has_weights(primitive) && named_sizes(problem).contains("oc") ? 2 : 1;
}

std::string result_of(const Line& line) {
    const std::string type = type_of_result(line.memory);
    if (type.empty() || line.problem.empty() || line.problem.size() > 1024) return {};
    if (!is_digit(line.problem[0])) {
        const std::map<std::string_view, int64_t> sizes = named_sizes(line.problem);
        if (!has_weights(line.primitive) || !sizes.contains("mb") || !sizes.contains("oc")) return {};
        return type + (line.primitive == "convolution" ? list_of(sizes, {"mb", "oc", "od", "oh", "ow"}, {})
                                                       : list_of(sizes, {"mb", "oc"}, {}));
    }
    const std::string sizes = result_sizes(line);
    return sizes.empty() ? sizes : type + sizes;
}

std::string layouts_of(const Line& line) {
    if (line.primitive != "reorder") return {};
    const std::vector<std::string_view> tensors = split(line.memory, ' ', 64);
    if (tensors.size() != 2) return {};
    const std::string_view from = layout_of_tensor(tensors[0]), to = layout_of_tensor(tensors[1]);
    if (from.empty() || to.empty()) return {};
    return from == to ? fmt::format("layout {}", from) : fmt::format("layout {} -> {}", from, to);
}

bool is_of_gpu(const Line& line) {
    return line.engine.find("gpu") != line.engine.npos;
}

std::string types_of(std::string_view memory) {
    std::string types;
    for (const std::string_view tensor : split(memory, ' ', 64)) {
        const std::string type = is_result(tensor) ? std::string() : type_of_tensor(tensor);
        if (!type.empty()) types += fmt::format("{}\"{}\"", types.empty() ? "" : ", ", type);
    }
    return types.empty() ? types : "[" + types + "]";
}

}  // namespace opsight::importer::onednn
