// read_only_ops and read_only_op_instances: ops and their calls.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "import/dlprof/database.h"
#include "model/marks/nvtx_text.h"

namespace opsight::importer::dlprof {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kUnassociated = "unassociated_";

// Layer of an op by its name: classes of modules in a path of functions ("/module/Net::forward/conv2d"), the
// scopes above a node ("model/dense/MatMul").
std::string layer_of(std::string_view name) {
    if (name.starts_with('/')) return marks::modules_of_stack(name);
    const size_t slash = name.rfind('/');
    return slash == name.npos ? std::string() : std::string(name.substr(0, slash));
}

class OpReader {
  public:
    explicit OpReader(Database& database)
        : database_(database), report_(database.report()), builder_(database.builder()) {}

    Status run() {
        OPSIGHT_TRY(report_.read(
            "read_only_ops",
            {"id", "op_id", "op_id_id", "op_name", "op_name_id", "op_type_id", "op_type", "data_type_id",
             "data_type", "direction_id", "direction", "stack_trace", "stack_trace_id", "tc_support_status",
             "data_format_id", "output_format_id", "parameters_format_id"},
            [this](Table& row) { take_op(row); }, false));
        return report_
            .read("read_only_op_instances",
                  {"id", "read_only_ops_id", "cpu_start", "cpu_stop", "process_id", "thread_id",
                   "input_shapes_id", "input_shapes", "parameters_id", "output_shapes_id"},
                  [this](Table& row) { take_instance(row); })
            .map([](bool) {});
    }

  private:
    enum {
        kId,
        kOpId,
        kOpIdText,
        kName,
        kNameText,
        kType,
        kTypeText,
        kDataType,
        kDataTypeText,
        kDirection,
        kDirectionText,
        kStack,
        kStackText,
        kStatus,
        kInputLetters,
        kOutputLetters,
        kParameterLetters
    };

    void take_op(Table& row) {
        OpFacts op;
        op.name = database_.either(row, kName, kNameText);
        op.type = database_.either(row, kType, kTypeText);
        if (op.name.value == 0) op.name = op.type.value != 0 ? op.type : builder_.text("(name lost)");
        if (op.type.value == 0) op.type = op.name;
        const std::string_view name = builder_.view(op.name), type = builder_.view(op.type);
        for (const std::string_view text : {type, name})
            if (text.starts_with(kUnassociated) && !op.unassociated) {
                op.unassociated = true;
                op.api = builder_.text(std::string(text.substr(kUnassociated.size())));
            }
        const StringId data_type = database_.either(row, kDataType, kDataTypeText);
        const StringId direction = database_.either(row, kDirection, kDirectionText);
        op.backward = builder_.view(direction) == "bprop";
        op.stack = database_.either(row, kStack, kStackText);
        Json facts = {{"op_id", builder_.view(database_.either(row, kOpIdText, kOpId))},
                      {"op_type", type},
                      {"direction", builder_.view(direction)},
                      {"data_type", builder_.view(data_type)}};
        if (row.has(kStatus)) facts["tc_support_status"] = row.number(kStatus);
        if (op.stack.value != 0) facts["stack"] = builder_.view(op.stack);
        if (op.unassociated) facts["op_name"] = name;  // of others it is the text of the range
        op.input_letters = database_.text(row, kInputLetters);
        op.output_letters = database_.text(row, kOutputLetters);
        op.parameter_letters = database_.text(row, kParameterLetters);
        op.payload = builder_.text(facts.dump(-1, ' ', false, Json::error_handler_t::replace));
        if (data_type.value != 0)
            op.dtypes = builder_.text(
                Json::array({builder_.view(data_type)}).dump(-1, ' ', false, Json::error_handler_t::replace));
        else
            op.dtypes = StringId(size_t{0});
        op.module_path = builder_.text(layer_of(std::string(builder_.view(op.name))));
        if (!database_.ops.try_emplace(row.number(kId), op).second)
            report_.note(Diag::kUnreadRow, fmt::format("read_only_ops: id {} again", row.number(kId)));
    }

    void take_instance(Table& row) {
        enum {
            kInstanceId,
            kOp,
            kStart,
            kStop,
            kProcess,
            kThread,
            kShapes,
            kShapesText,
            kParameters,
            kOutputs
        };
        const int64_t id = row.number(kInstanceId, ++instances_);
        const auto found = database_.ops.find(row.number(kOp));
        if (found == database_.ops.end())
            return report_.note(Diag::kDanglingId,
                                fmt::format("read_only_op_instances: op {}", row.number(kOp)));
        const OpFacts& op = found->second;
        HostSpan span;
        if (!report_.times(row, kStart, kStop, span.begin, span.dur, span.flags)) return;
        const int64_t thread = Database::thread_id(row, kProcess, kThread);
        if (op.unassociated) {
            database_.pseudo_calls.push_back({found->first, thread, span.begin, span.dur, span.flags});
            return;
        }
        span.track = report_.thread(thread, true);
        span.kind = HostKind::kOp;
        span.name = op.type;
        OpDetail detail;
        detail.module_path = op.module_path;
        detail.stack = op.stack;
        detail.external_id = id;
        if (op.backward) detail.forward_thread = std::max<int64_t>(Report::tid_of(thread), 1);
        const StringId shapes = shapes_of(database_.either(row, kShapes, kShapesText));
        if (shapes.value != 0 || op.dtypes.value != 0)
            detail.signature =
                builder_.signature({shapes, op.dtypes, StringId(size_t{0}), StringId(size_t{0})});
        builder_.add_op(span, detail);
        builder_.extend_nvtx({span.track, {}, op.name, builder_.nvtx_attributes({})});
        NvtxPayload payload;
        payload.type = NvtxPayload::Type::kText;
        payload.text = payload_of(op, database_.either(row, kShapes, kShapesText),
                                  database_.text(row, kParameters), database_.text(row, kOutputs));
        builder_.extend_payload(payload);
        database_.add_instance(found->first, thread, span.begin, span.begin + span.dur, id);
    }

    // What is told of an op, and of this call of it.
    StringId payload_of(const OpFacts& op, StringId shapes, StringId parameters, StringId outputs) {
        if (shapes.value == 0 && parameters.value == 0 && outputs.value == 0) return op.payload;
        const auto [it, is_new] = payloads_.try_emplace(std::tuple(op.payload, shapes, parameters, outputs));
        if (!is_new) return it->second;
        Json facts = Json::parse(builder_.view(op.payload), nullptr, false);
        if (!facts.is_object()) return it->second = op.payload;
        const auto add = [&](const char* key, StringId text, const char* letters_key, StringId letters) {
            if (text.value == 0 || builder_.view(text) == "null") return;
            facts[key] = builder_.view(text);
            if (letters.value != 0) facts[letters_key] = builder_.view(letters);
        };
        add("input_shapes", shapes, "input_letters", op.input_letters);
        add("parameters", parameters, "parameter_letters", op.parameter_letters);
        add("output_shapes", outputs, "output_letters", op.output_letters);
        return it->second = builder_.text(facts.dump(-1, ' ', false, Json::error_handler_t::replace));
    }

    // Each distinct text is read once.
    StringId shapes_of(StringId text) {
        if (text.value == 0) return text;
        const auto [it, is_new] = shapes_.try_emplace(text);
        if (is_new) {
            const std::optional<std::string> json = plain_shapes(builder_.view(text));
            if (!json) report_.note(Diag::kBadHeader, "input shapes: " + std::string(builder_.view(text)));
            it->second = builder_.text(json.value_or(std::string()));
        }
        return it->second;
    }

    Database& database_;
    Report& report_;
    ProfileBuilder& builder_;
    int64_t instances_ = 0;
    absl::flat_hash_map<StringId, StringId> shapes_;
    absl::flat_hash_map<std::tuple<StringId, StringId, StringId, StringId>, StringId> payloads_;
};

}  // namespace

std::optional<std::string> plain_shapes(std::string_view text) {
    const Json list = Json::parse(text, nullptr, false);
    if (list.is_null()) return std::string();
    if (!list.is_array()) return std::nullopt;
    std::string json;
    for (const Json& shape : list) {
        if (!shape.is_array()) return std::nullopt;
        std::string sizes;
        for (const Json& size : shape) {
            if (!size.is_number_integer() || size < 0) return std::nullopt;
            sizes.append(sizes.empty() ? "" : ", ").append(size.dump());
        }
        json.append(json.empty() ? "[[" : ", [").append(sizes).append("]");
    }
    return json.empty() ? json : json + "]";
}

Status read_ops(Database& database) {
    return OpReader(database).run();
}

}  // namespace opsight::importer::dlprof
