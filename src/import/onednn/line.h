// One line of a log of oneDNN.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opsight::importer::onednn {

// What stands behind "onednn_verbose," (or "dnnl_", "mkldnn_"), wherever in a text that is; empty: nowhere.
std::optional<std::string_view> behind_marker(std::string_view text);

enum class LineKind : uint8_t { kInfo, kExecution, kCreation, kOther, kBad };

// Views of the line. Empty: that version does not tell.
struct Line {
    LineKind kind = LineKind::kOther;
    int64_t begin_ns = -1;  // since 1970; -1: without a time
    int64_t dur_ns = 0;
    std::string_view operation;  // "exec", "create:cache_miss"
    std::string_view engine, primitive, implementation, direction, memory, attributes, auxiliary, problem;
    std::string_view info;  // of kInfo: what is told
};
Line read_line(std::string_view behind_marker);

// "[[2, 3, 224, 224], [64, 3, 7, 7]]" of "mb2_ic3oc64_ih224...kh7..." or "32x256:256x512:32x512" (whose last
// is the result's; since version 3 it is left out); empty: the problem is told in another way.
std::string shapes_of(std::string_view primitive, std::string_view problem);

// How many tensors those are.
size_t count_of_inputs(std::string_view primitive, std::string_view problem);

// "f32[2, 64, 112, 112]": the tensor that comes out, of convolutions and inner products (the backward pass
// too: that of the forward one), products and reorders; empty: not told.
std::string result_of(const Line& line);

// "layout abcd -> aBcd8b" of a reorder, "layout abcd" of one that leaves it as it is (a copy, or a conversion
// of types); empty: not told.
std::string layouts_of(const Line& line);

// Whether an engine of a GPU ran it ("gpu", "gpu:0"), or copied to or from one ("cpu2gpu").
bool is_of_gpu(const Line& line);

// ["f32", "bf16"] of "src_f32::blocked:abcd:f0 wei_bf16::... dst_f32::...": those of the inputs.
std::string types_of(std::string_view memory);

}  // namespace opsight::importer::onednn
