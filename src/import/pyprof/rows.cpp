#include "import/pyprof/rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/marks/nvtx_text.h"
#include "model/marks/python_literal.h"

namespace opsight::importer::pyprof {
namespace {

using marks::PythonValue;

constexpr int64_t kMostNs = int64_t{1} << 53;

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

int64_t integer_of(const PythonValue& dict, std::string_view key, int64_t otherwise) {
    const PythonValue* value = dict.find(key);
    if (!value || value->kind != PythonValue::Kind::kNumber) return otherwise;
    return number<int64_t>(value->text).value_or(otherwise);
}

const PythonValue* list_of(const PythonValue& dict, std::string_view key) {
    const PythonValue* value = dict.find(key);
    return value && value->kind == PythonValue::Kind::kList && !value->items.empty() ? value : nullptr;
}

void read_sizes(const PythonValue& dict, std::string_view key, std::array<int64_t, 3>& to) {
    const PythonValue* list = list_of(dict, key);
    if (!list || list->items.size() != 3) return;
    for (size_t axis = 0; axis < 3; ++axis)
        to[axis] = std::max<int64_t>(-1, number<int64_t>(list->items[axis].text).value_or(-1));
}

// "128,1,1"
void read_sizes(std::string_view text, std::array<int64_t, 3>& to) {
    for (size_t axis = 0; axis < 3; ++axis) {
        const size_t comma = std::min(text.find(','), text.size());
        to[axis] = std::max<int64_t>(-1, number<int64_t>(text.substr(0, comma)).value_or(-1));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
}

// The innermost call that the program marked; of the backward pass, the node of autograd, which has the
// number of the forward op.
std::string text_of_op(const PythonValue& dict, const KernelRow& row) {
    if (const PythonValue* marked = list_of(dict, "marker"); marked && !row.backward)
        return marked->items.back().text;
    const PythonValue* ranges = list_of(dict, "seqMarker");
    if (!ranges) return {};
    const std::string wanted = ", seq = " + std::to_string(row.sequence);
    for (const PythonValue& range : ranges->items)
        if (row.backward && (range.text + ",").find(wanted + ",") != std::string::npos) return range.text;
    return ranges->items.back().text;
}

std::string joined(const PythonValue* list, std::string_view between) {
    std::string text;
    if (list)
        for (const PythonValue& item : list->items)
            text.append(text.empty() ? "" : between).append(item.text);
    return text;
}

std::string with_module(std::string_view module, std::string_view op) {
    if (module.empty() || module == "na") return std::string(op);
    return std::string(module) + "." + std::string(op);
}

// FLOPs and bytes are printed as numbers with a point.
int64_t amount(std::string_view text) {
    const std::optional<double> value = number<double>(text);
    return value && *value >= 0 && *value < 9e18 ? std::llround(*value) : -1;
}

}  // namespace

std::optional<KernelRow> read_dict(std::string_view line) {
    const std::optional<PythonValue> dict = marks::parse_python_literal(line);
    if (!dict || dict->kind != PythonValue::Kind::kDict) return std::nullopt;
    KernelRow row;
    row.short_name = dict->text_of("kShortName");
    row.kernel = dict->text_of("kLongName");
    if (row.kernel.empty()) row.kernel = row.short_name;
    row.ns = integer_of(*dict, "kDuration", -1);
    if (row.kernel.empty() || row.ns < 0 || row.ns > kMostNs) return std::nullopt;
    row.device = integer_of(*dict, "device", 0);
    row.stream = integer_of(*dict, "stream", 0);
    row.thread = integer_of(*dict, "tid", 0);
    read_sizes(*dict, "grid", row.grid);
    read_sizes(*dict, "block", row.block);
    row.backward = dict->text_of("dir") == "bprop";
    if (const PythonValue* numbers = list_of(*dict, "seqId"))
        row.sequence = number<int64_t>(numbers->items.back().text).value_or(-1);
    row.layer = joined(list_of(*dict, "layer"), "/");
    row.stack = joined(list_of(*dict, "trace"), "\n");
    const std::string op = text_of_op(*dict, row);
    marks::NvtxMeaning meaning = marks::read_nvtx_text(op, marks::NvtxDomain::kOther);
    row.op = std::move(meaning.name);
    row.shapes = std::move(meaning.shapes);
    row.dtypes = std::move(meaning.dtypes);
    row.concrete = std::move(meaning.concrete);
    row.call =
        op + "|" + joined(list_of(*dict, "seqMarker"), "|") + "|" + row.stack + (row.backward ? "|b" : "|f");
    return row;
}

std::optional<KernelRow> read_row(const std::vector<std::string>& names,
                                  const std::vector<std::string>& row) {
    if (row.size() != names.size()) return std::nullopt;
    const auto of = [&](std::string_view name) -> std::string_view {
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end() ? std::string_view() : row[static_cast<size_t>(found - names.begin())];
    };
    KernelRow kernel;
    kernel.kernel = of("Kernel");
    kernel.ns = number<int64_t>(of("Sil(ns)")).value_or(-1);
    if (kernel.kernel.empty() || kernel.ns < 0 || kernel.ns > kMostNs) return std::nullopt;
    kernel.device = number<int64_t>(of("Device")).value_or(0);
    kernel.stream = number<int64_t>(of("Stream")).value_or(0);
    kernel.backward = of("Direction") == "bprop";
    read_sizes(of("Grid"), kernel.grid);
    read_sizes(of("Block"), kernel.block);
    kernel.layer = of("Layer") == "na" ? std::string_view() : of("Layer");
    kernel.op = with_module(of("Module"), of("Op"));
    if (kernel.op == "na") kernel.op.clear();
    const std::string_view tc = of("TC");
    if (tc == "1" || tc == "0" || tc == "-" || tc == "na") kernel.uses_tc = tc == "1";
    kernel.flops = amount(of("FLOPs"));
    kernel.bytes = amount(of("Bytes"));
    // What it writes of ops that it does not know.
    if (kernel.flops <= 0 && kernel.bytes <= 0) kernel.flops = kernel.bytes = -1;
    return kernel;
}

}  // namespace opsight::importer::pyprof
