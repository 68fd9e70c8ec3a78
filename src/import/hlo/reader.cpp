// Finds out whether a file holds an HLO module: text, or the message of a module, bare or as HloProto.
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

#include "import/hlo/builder.h"
#include "import/hlo/text.h"
#include "import/model/model_import.h"

namespace opsight::importer {
namespace {

bool parse(std::string_view bytes, google::protobuf::Message& to) {
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    stream.SetTotalBytesLimit(INT32_MAX);
    return to.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

bool is_opcode(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

// Other messages can be parsed as a module too; then what should be opcodes is not.
bool is_module(const hlo_file::Module& module) {
    if (module.computations().empty() || module.name().empty()) return false;
    size_t instructions = 0;
    for (const hlo_file::Computation& computation : module.computations())
        for (const hlo_file::Instruction& each : computation.instructions()) {
            if (!is_opcode(each.opcode())) return false;
            ++instructions;
        }
    return instructions > 0;
}

}  // namespace

Result<std::optional<ModelGraph>> import_hlo(std::string_view bytes) {
    if (hlo::is_module_text(bytes)) {
        OPSIGHT_ASSIGN(const hlo_file::Module module, hlo::read_module_text(bytes));
        OPSIGHT_ASSIGN(ModelGraph graph, hlo::Builder(module).build());
        return std::optional(std::move(graph));
    }
    if (!bytes.starts_with('\x0a')) return std::optional<ModelGraph>();
    hlo_file::Hlo whole;
    hlo_file::Module bare;
    const bool is_whole = parse(bytes, whole) && is_module(whole.module());
    if (!is_whole && !(parse(bytes, bare) && is_module(bare))) return std::optional<ModelGraph>();
    OPSIGHT_ASSIGN(ModelGraph graph, hlo::Builder(is_whole ? whole.module() : bare).build());
    return std::optional(std::move(graph));
}

}  // namespace opsight::importer
