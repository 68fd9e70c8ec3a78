#include "import/executiontrace/chakra.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "import/executiontrace/arguments.h"
#include "import/executiontrace/python_lists.h"
#include "import/protobuf/fields.h"
#include "import/text/clean_text.h"

namespace opsight::importer {
namespace {

using protobuf::Field;
using protobuf::Fields;

constexpr int64_t kRangeOfUser = 7;  // of RecordFunction's scopes

// The next message; nothing at the end. `bytes` grows with what is there.
class Messages {
  public:
    explicit Messages(PeekedSource& source) : source_(source) {}

    Result<bool> next(std::string& bytes) {
        constexpr size_t kMost = size_t{256} << 20, kStep = size_t{1} << 20;
        uint64_t size = 0;
        for (int shift = 0;; shift += 7) {
            char c = 0;
            OPSIGHT_ASSIGN(const size_t got, read_fully(source_, &c, 1));
            if (got == 0 && shift == 0) return false;
            if (got == 0 || shift > 28) return fail(kDamaged);
            size |= uint64_t{static_cast<uint8_t>(c) & 0x7fu} << shift;
            if (static_cast<uint8_t>(c) < 0x80) break;
        }
        if (size > kMost) return fail("a message of a trace of Chakra has more than 256 MiB");
        bytes.clear();
        while (bytes.size() < size) {
            const size_t used = bytes.size(), step = std::min<size_t>(kStep, size - used);
            bytes.resize(used + step);
            OPSIGHT_ASSIGN(const size_t got, read_fully(source_, bytes.data() + used, step));
            if (got < step) return fail(kDamaged);
        }
        return true;
    }

  private:
    static constexpr const char* kDamaged = "a trace of Chakra breaks off or is damaged";
    PeekedSource& source_;
};

// AttributeProto: its name, and its value where that is a whole number.
struct Attribute {
    std::string_view name;
    std::optional<int64_t> number;
};
Attribute read_attribute(std::string_view message) {
    Attribute attribute;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(1, Field::Type::kBytes)) attribute.name = field.bytes;
        if (field.type == Field::Type::kVarint) attribute.number = field.integer();
    }
    return attribute;
}

// IOInfo: lists as Python writes them.
struct Lists {
    std::string_view values, shapes, types;
};
Lists read_lists(std::string_view message) {
    Lists lists;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(1, Field::Type::kBytes)) lists.values = field.bytes;
        if (field.is(2, Field::Type::kBytes)) lists.shapes = field.bytes;
        if (field.is(3, Field::Type::kBytes)) lists.types = field.bytes;
    }
    return lists;
}

// Early converters cut an op where it launched: "aten::mm(0)", "aten::mm(1)". The first is the call.
struct Piece {
    std::string_view name;
    bool is_first = true;
};
Piece piece_of(std::string_view name) {
    const size_t at = name.rfind('(');
    if (at == name.npos || !name.ends_with(')') || at + 2 >= name.size()) return {name};
    const std::string_view digits = name.substr(at + 1, name.size() - at - 2);
    if (digits.find_first_not_of("0123456789") != digits.npos) return {name};
    return {name.substr(0, at), digits == "0"};
}

class ChakraNodes {
  public:
    explicit ChakraNodes(ExecutionTrace& trace) : trace_(trace) {}

    void add(std::string_view message) {
        ExecutedOp op;
        std::string_view name;
        Lists lists;
        int64_t scope = 0, of_cpu = 0;
        bool has_id = false;
        Fields fields(message);
        for (Field field; fields.next(field);) {
            if (field.is(1, Field::Type::kVarint)) {
                op.id = field.integer();
                has_id = true;
            }
            if (field.is(2, Field::Type::kBytes)) name = field.bytes;
            if (field.is(8, Field::Type::kBytes)) lists = read_lists(field.bytes);
            if (!field.is(10, Field::Type::kBytes)) continue;
            const Attribute attribute = read_attribute(field.bytes);
            if (!attribute.number) continue;
            if (attribute.name == "rf_id" && *attribute.number > 0) op.record_function = *attribute.number;
            if (attribute.name == "seq_id") op.sequence = std::max<int64_t>(*attribute.number, -1);
            if (attribute.name == "tid") op.thread = *attribute.number;
            if (attribute.name == "scope") scope = *attribute.number;
            if (attribute.name == "is_cpu_op") of_cpu = *attribute.number;
        }
        const Piece piece = piece_of(name);
        // Work of devices is that of the trace that this was made of.
        if (!fields.is_damaged() && (of_cpu == 0 || scope == kRangeOfUser || !piece.is_first)) return;
        if (fields.is_damaged() || !has_id || name.empty() || !read_texts(lists)) {
            ++trace_.odd_nodes;
            return;
        }
        put(op, piece.name);
    }

  private:
    bool read_texts(const Lists& lists) {
        const auto list = [](std::string_view text, simdjson::dom::parser& parser, simdjson::dom::array& to) {
            std::string json = json_of_python(text);
            clean_text(json);
            return parser.parse(json).get(to) == simdjson::SUCCESS;
        };
        simdjson::dom::array types, shapes, values;
        return list(lists.types, types_, types) && list(lists.shapes, shapes_, shapes) &&
               list(lists.values, values_, values) && read_arguments(types, shapes, values, nullptr, texts_);
    }

    void put(ExecutedOp op, std::string_view name) {
        std::string clean(name);
        clean_text(clean);
        op.name = trace_.strings.intern(clean);
        set_arguments(texts_, trace_.strings, op);
        trace_.ops.push_back(op);
    }

    ExecutionTrace& trace_;
    simdjson::dom::parser types_, shapes_, values_;
    ArgumentTexts texts_;
};

// GlobalMetadata.
void read_facts(std::string_view message, ExecutionTrace& trace) {
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (!field.is(2, Field::Type::kBytes)) continue;
        const Attribute attribute = read_attribute(field.bytes);
        if (attribute.name == "pid" && attribute.number.value_or(-1) >= 0) trace.process = *attribute.number;
    }
}

}  // namespace

bool looks_like_chakra(std::string_view first) {
    constexpr std::string_view kSchema = "\x0a\x06schema";
    const std::string_view begin = first.substr(0, 16);
    return begin.find(kSchema) != begin.npos && first.find("start_ts") != first.npos;
}

Result<ExecutionTrace> read_chakra(PeekedSource& source) {
    ExecutionTrace trace;
    trace.is_part = true;
    Messages messages(source);
    ChakraNodes nodes(trace);
    std::string message;
    for (bool is_first = true;; is_first = false) {
        OPSIGHT_ASSIGN(const bool any, messages.next(message));
        if (!any) break;
        is_first ? read_facts(message, trace) : nodes.add(message);
    }
    if (trace.ops.empty()) return fail("is a trace of Chakra without calls of ops of PyTorch");
    std::stable_sort(trace.ops.begin(), trace.ops.end(), [](const ExecutedOp& a, const ExecutedOp& b) {
        return std::tie(a.thread, a.id) < std::tie(b.thread, b.id);
    });
    return trace;
}

}  // namespace opsight::importer
