#include "import/hlo/text.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"
#include "import/hlo/shapes.h"

namespace opsight::importer::hlo {
namespace {

using hlo_file::Computation;
using hlo_file::Instruction;
using hlo_file::Module;
using hlo_file::Shape;

constexpr std::string_view kBlank = " \t\r\n";
constexpr int kDeepestTuple = 100;  // tuples in tuples, as protobuf allows

std::string_view trimmed(std::string_view text) {
    return text::trimmed(text, kBlank);
}

std::string_view bare(std::string_view name) {
    name = trimmed(name);
    if (name.starts_with('%')) name.remove_prefix(1);
    return name;
}

int64_t number(std::string_view text, int64_t otherwise = 0) {
    int64_t value = otherwise;
    text = trimmed(text);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// The place behind the bracket that closes the one at `at`; of strings what is in quotes is passed over.
size_t behind_bracket(std::string_view text, size_t at) {
    int depth = 0;
    for (bool quoted = false; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"' && (at == 0 || text[at - 1] != '\\')) quoted = !quoted;
        if (quoted) continue;
        if (c == '(' || c == '{' || c == '[') ++depth;
        if ((c == ')' || c == '}' || c == ']') && --depth <= 0) return at + 1;
    }
    return text.npos;
}

// Calls take(piece) for the pieces between commas that stand in no brackets and no quotes.
template <class Take>
void each_piece(std::string_view text, Take take) {
    int depth = 0;
    size_t begin = 0;
    bool quoted = false;
    for (size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : ',';
        if (c == '"' && (at == 0 || text[at - 1] != '\\')) quoted = !quoted;
        if (quoted && at < text.size()) continue;
        depth += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
        if (c != ',' || (depth > 0 && at < text.size())) continue;
        if (const std::string_view piece = trimmed(text.substr(begin, at - begin)); !piece.empty())
            take(piece);
        begin = at + 1;
    }
}

std::string_view inside(std::string_view text) {
    return text.size() >= 2 ? text.substr(1, text.size() - 2) : std::string_view();
}

// "f32[2,3]{1,0:T(8,128)}" or "(f32[2], (s32[], pred[]))"; how much of the text it was, 0 where it is none.
size_t read_shape(std::string_view text, Shape& shape, int depth = 0) {
    if (text.starts_with('(')) {
        const size_t end = behind_bracket(text, 0);
        if (end == text.npos || depth >= kDeepestTuple) return 0;
        shape.set_element_type(13);
        each_piece(inside(text.substr(0, end)), [&](std::string_view piece) {
            if (piece.starts_with("/*"))
                piece = trimmed(piece.substr(std::min(piece.find("*/"), piece.size() - 2) + 2));
            read_shape(piece, *shape.add_tuple_shapes(), depth + 1);
        });
        return end;
    }
    const size_t open = text.find('[');
    const size_t close = text.find(']', open);
    if (open == text.npos || close == text.npos || open > 16) return 0;
    shape.set_element_type(type_number(text.substr(0, open)));
    if (shape.element_type() == 0) return 0;
    each_piece(text.substr(open + 1, close - open - 1), [&](std::string_view size) {
        if (size.starts_with("<=")) size.remove_prefix(2);
        shape.add_dimensions(number(size, -1));
    });
    if (close + 1 >= text.size() || text[close + 1] != '{') return close + 1;
    const size_t end = behind_bracket(text, close + 1);
    return end == text.npos ? 0 : end;
}

std::vector<std::string_view> split(std::string_view text, char by) {
    std::vector<std::string_view> parts;
    for (;;) {
        const size_t end = text.find(by);
        parts.push_back(text.substr(0, end));
        if (end == text.npos) return parts;
        text.remove_prefix(end + 1);
    }
}

// "size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=2x2 rhs_dilate=1x1"
void read_window(std::string_view text, hlo_file::Window& window) {
    for (const std::string_view word : split(text, ' ')) {
        const size_t equals = word.find('=');
        if (equals == word.npos) continue;
        const std::string_view key = word.substr(0, equals);
        const std::vector<std::string_view> values = split(word.substr(equals + 1), 'x');
        for (int i = 0; i < static_cast<int>(std::min<size_t>(values.size(), 64)); ++i) {
            while (window.dimensions_size() <= i) {
                hlo_file::WindowDimension* added = window.add_dimensions();
                added->set_size(1);
                added->set_stride(1);
                added->set_window_dilation(1);
                added->set_base_dilation(1);
            }
            hlo_file::WindowDimension& at = *window.mutable_dimensions(i);
            const std::string_view value = values[static_cast<size_t>(i)];
            if (key == "size") at.set_size(number(value, 1));
            if (key == "stride") at.set_stride(number(value, 1));
            if (key == "lhs_dilate") at.set_base_dilation(number(value, 1));
            if (key == "rhs_dilate") at.set_window_dilation(number(value, 1));
            if (key != "pad") continue;
            at.set_padding_low(number(value));
            at.set_padding_high(number(value.substr(std::min(value.find('_') + 1, value.size()))));
        }
    }
}

// "b01f_01io->b01f": batch, features and places of input and output, features and places of the kernel.
void read_labels(std::string_view text, hlo_file::ConvolutionDimensions& to) {
    const size_t kernel = text.find('_'), output = text.find("->");
    if (kernel == text.npos || output == text.npos || output < kernel) return;
    const auto each = [](std::string_view labels, auto take) {
        for (size_t i = 0; i < labels.size(); ++i)
            take(labels[i], static_cast<int64_t>(i));
    };
    each(text.substr(0, kernel), [&](char label, int64_t axis) {
        if (label == 'b')
            to.set_input_batch(axis);
        else if (label == 'f')
            to.set_input_feature(axis);
        else
            to.add_input_spatial(axis);
    });
    each(text.substr(kernel + 1, output - kernel - 1), [&](char label, int64_t axis) {
        if (label == 'i')
            to.set_kernel_input_feature(axis);
        else if (label == 'o')
            to.set_kernel_output_feature(axis);
        else
            to.add_kernel_spatial(axis);
    });
    each(text.substr(output + 2), [&](char label, int64_t axis) {
        if (label == 'b')
            to.set_output_batch(axis);
        else if (label == 'f')
            to.set_output_feature(axis);
        else
            to.add_output_spatial(axis);
    });
}

std::string unquoted(std::string_view text) {
    if (!text.starts_with('"')) return std::string(text);
    std::string out;
    text.remove_prefix(1);
    for (size_t i = 0; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        out += text[i];
    }
    return out;
}

class Reader {
  public:
    Result<Module> read(std::string_view text) {
        while (!text.empty()) {
            const std::string_view statement = next(text);
            if (statement.empty()) continue;
            if (Status taken = take(statement); !taken) return fail(taken.error());
        }
        if (at_) return wrong(fmt::format("the text is cut: the computation '{}' does not end", at_->name()));
        if (module_.computations_size() == 0)
            return fail("the text holds a module without computations", {}, {},
                        "dump it again with --xla_dump_to");
        if (module_.entry_name().empty())
            return fail("the module's text has no ENTRY: it is cut", {}, {},
                        "dump it again with --xla_dump_to");
        OPSIGHT_TRY(resolve());
        return std::move(module_);
    }

  private:
    struct Open {
        int computation, instruction;
        std::string name;
        bool is_computation, goes_first;
    };

    // One line, or as many as it takes for its brackets to close; those of computations stay open.
    std::string_view next(std::string_view& text) {
        line_ = next_line_;
        size_t end = 0;
        int depth = 0;
        bool quoted = false;
        for (; end < text.size(); ++end) {
            const char c = text[end];
            if (c == '"' && (end == 0 || text[end - 1] != '\\')) quoted = !quoted;
            if (c == '\n') ++next_line_;
            if (c == '\n' && (depth <= 0 || opens_computation(text.substr(0, end)))) break;
            if (quoted) continue;
            depth += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
        }
        const std::string_view statement = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        return statement.starts_with("//") ? std::string_view() : statement;
    }

    static bool opens_computation(std::string_view text) {
        text = trimmed(text);
        return text.ends_with('{') && text.find(" = ") == text.npos && !text.starts_with("HloModule");
    }

    tl::unexpected<Error> wrong(std::string what) const {
        return fail(std::move(what), {}, fmt::format("line {}", line_),
                    "dump the module again with --xla_dump_to");
    }

    Status take(std::string_view statement) {
        if (statement.starts_with("HloModule")) {
            const std::string_view rest = trimmed(statement.substr(9));
            module_.set_name(std::string(rest.substr(0, rest.find_first_of(", "))));
            return {};
        }
        if (statement == "}" || statement.starts_with("}")) {
            at_ = nullptr;
            return {};
        }
        if (opens_computation(statement)) return open(statement);
        if (!at_) return {};  // tables of file names and stack frames
        return instruction(statement);
    }

    Status open(std::string_view statement) {
        const bool entry = statement.starts_with("ENTRY ");
        if (entry) statement.remove_prefix(6);
        const std::string name(bare(statement.substr(0, statement.find_first_of(" ("))));
        if (name.empty()) return wrong("a computation without a name");
        at_ = module_.add_computations();
        at_->set_name(name);
        at_->set_id(++ids_);
        computations_[name] = at_->id();
        names_.emplace_back();
        if (!entry) return {};
        module_.set_entry_name(name);
        module_.set_entry_id(at_->id());
        return {};
    }

    Status instruction(std::string_view text) {
        const bool root = text.starts_with("ROOT ");
        if (root) text.remove_prefix(5);
        const size_t equals = text.find(" = ");
        if (equals == text.npos) return wrong("an instruction without \" = \"");
        Instruction& to = *at_->add_instructions();
        to.set_name(std::string(bare(text.substr(0, equals))));
        to.set_id(++ids_);
        names_.back()[to.name()] = to.id();
        if (root) at_->set_root_id(to.id());
        text = trimmed(text.substr(equals + 3));
        const size_t shape = read_shape(text, *to.mutable_shape());
        if (shape == 0) return wrong(fmt::format("'{}' has a shape that cannot be read", to.name()));
        text = trimmed(text.substr(shape));
        const size_t open = text.find('(');
        const size_t close = open == text.npos ? text.npos : behind_bracket(text, open);
        if (close == text.npos) return wrong(fmt::format("'{}' has no operands in brackets", to.name()));
        to.set_opcode(std::string(trimmed(text.substr(0, open))));
        const std::string_view operands = inside(text.substr(open, close - open));
        if (to.opcode() == "parameter")
            to.set_parameter_number(number(operands, -1));
        else if (to.opcode() != "constant")
            each_piece(operands, [&](std::string_view each) { refer(each, false); });
        each_piece(text.substr(close), [&](std::string_view each) { attribute(to, each); });
        return {};
    }

    // "%add.1", "add.1" or, in older texts, "f32[2]{0} %add.1".
    void refer(std::string_view text, bool is_computation, bool goes_first = false) {
        if (const size_t blank = text.find_last_of(" /"); blank != text.npos) text = text.substr(blank + 1);
        open_.push_back({module_.computations_size() - 1, at_->instructions_size() - 1,
                         std::string(bare(text)), is_computation, goes_first});
    }

    void attribute(Instruction& to, std::string_view text) {
        const size_t equals = text.find('=');
        if (equals == text.npos) return;
        const std::string_view key = trimmed(text.substr(0, equals)),
                               value = trimmed(text.substr(equals + 1));
        const auto list = [&](auto add) {
            each_piece(inside(value), [&](std::string_view v) { add(number(v)); });
        };
        auto* dot = to.mutable_dot_dimensions();
        if (key == "dimensions") list([&](int64_t v) { to.add_dimensions(v); });
        if (key == "lhs_contracting_dims") list([&](int64_t v) { dot->add_lhs_contracting(v); });
        if (key == "rhs_contracting_dims") list([&](int64_t v) { dot->add_rhs_contracting(v); });
        if (key == "lhs_batch_dims") list([&](int64_t v) { dot->add_lhs_batch(v); });
        if (key == "rhs_batch_dims") list([&](int64_t v) { dot->add_rhs_batch(v); });
        if (key == "index") to.set_tuple_index(number(value));
        if (key == "feature_group_count") to.set_feature_group_count(number(value));
        if (key == "batch_group_count") to.set_batch_group_count(number(value));
        if (key == "kind") to.set_fusion_kind(std::string(value));
        if (key == "custom_call_target") to.set_custom_call_target(unquoted(value));
        if (key == "backend_config") to.set_backend_config(unquoted(value));
        if (key == "window") read_window(inside(value), *to.mutable_window());
        if (key == "dim_labels") read_labels(value, *to.mutable_convolution_dimensions());
        if (key == "metadata") metadata(to, inside(value));
        if (key == "calls" || key == "to_apply" || key == "condition" || key == "body" ||
            key == "true_computation" || key == "false_computation")
            refer(value, true, key == "body");  // the binary form has a loop's body before its condition
        if (key == "branch_computations" || key == "called_computations")
            each_piece(inside(value), [&](std::string_view each) { refer(each, true); });
    }

    static void metadata(Instruction& to, std::string_view text) {
        constexpr std::string_view kName = "op_name=";
        if (const size_t at = text.find(kName); at != text.npos)
            to.mutable_metadata()->set_op_name(unquoted(text.substr(at + kName.size())));
    }

    // Names may stand before what they name.
    Status resolve() {
        for (const Open& open : open_) {
            Instruction& from =
                *module_.mutable_computations(open.computation)->mutable_instructions(open.instruction);
            const auto& names =
                open.is_computation ? computations_ : names_[static_cast<size_t>(open.computation)];
            const auto found = names.find(open.name);
            if (found == names.end())
                return fail(
                    fmt::format("'{}' refers to '{}', which is not in the module", from.name(), open.name),
                    {}, {}, "dump the module again with --xla_dump_to");
            auto& to =
                open.is_computation ? *from.mutable_called_computation_ids() : *from.mutable_operand_ids();
            to.Add(found->second);
            if (open.goes_first) to.SwapElements(0, to.size() - 1);
        }
        return {};
    }

    Module module_;
    Computation* at_ = nullptr;
    absl::flat_hash_map<std::string, int64_t> computations_;
    std::vector<absl::flat_hash_map<std::string, int64_t>> names_;  // of instructions, by computation
    std::vector<Open> open_;
    int64_t ids_ = 0, line_ = 1, next_line_ = 1;
};

}  // namespace

bool is_module_text(std::string_view text) {
    while (text.starts_with("//"))
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return trimmed(text).starts_with("HloModule ");
}

Result<Module> read_module_text(std::string_view text) {
    return Reader().read(text);
}

}  // namespace opsight::importer::hlo
