#include "import/xplane/programs.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <charconv>

#include "import/hlo/hlo.pb.h"
#include "import/hlo/shapes.h"
#include "import/xplane/details.h"
#include "import/xplane/product_work.h"

namespace opsight::importer::xplane {
namespace {

using HloOp = hlo_file::Instruction;

constexpr int32_t kTuple = 13;

bool is_product(const HloOp& from) {
    const auto calls = [&](std::string_view part) {
        return from.custom_call_target().find(part) != std::string::npos;
    };
    return from.opcode() == "dot" || from.opcode() == "convolution" || calls("gemm") || calls("matmul") ||
           calls("cublas") || calls("onvForward") || calls("onvBackward");
}

// XLA's categories: a fusion is told by its kind, and by a product in it.
std::string type_of(const HloOp& from, const HloOp* product) {
    if (from.opcode() == "custom-call" && !from.custom_call_target().empty())
        return from.custom_call_target();
    if (from.opcode() != "fusion") return from.opcode();
    if (product)
        return (product->opcode() == "custom-call" ? std::string("product") : product->opcode()) + " fusion";
    std::string kind = from.fusion_kind();
    if (kind.starts_with('k')) kind.erase(0, 1);
    if (!kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z') kind[0] = static_cast<char>(kind[0] - 'A' + 'a');
    return kind.empty() ? "fusion" : kind + " fusion";
}

}  // namespace

std::pair<std::string_view, int64_t> program_of(std::string_view name) {
    const size_t open = name.rfind('(');
    if (open == name.npos || open == 0 || !name.ends_with(')')) return {{}, -1};
    uint64_t number = 0;  // of 64 bits, signed or not
    const char* const last = name.data() + name.size() - 1;
    const auto [end, error] = std::from_chars(name.data() + open + 1, last, number);
    if (error != std::errc() || end != last) return {{}, -1};
    return {name.substr(0, open), static_cast<int64_t>(number)};
}

int64_t Programs::read(const Plane& metadata) {
    int64_t unread = 0;
    for (const auto& [id, type] : metadata.types())
        for (const std::string_view bytes : type.stats) {
            const auto [stat, value] = metadata.read_stat(bytes);
            if (stat != Stat::kHloProto || value.type != Value::Type::kBytes) continue;
            const auto [name, number] = program_of(type.name);
            unread += !read_program(name.empty() ? id : number, value.text);
        }
    return unread;
}

bool Programs::read_program(int64_t number, std::string_view bytes) {
    hlo_file::Hlo hlo;
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    if (!hlo.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) return false;
    Instructions instructions, products;  // the latter by computation
    absl::flat_hash_map<int64_t, const hlo_file::Computation*> computations;
    for (const hlo_file::Computation& computation : hlo.module().computations()) {
        computations[computation.id()] = &computation;
        for (const HloOp& each : computation.instructions()) {
            instructions[each.id()] = &each;
            if (is_product(each)) products[computation.id()] = &each;
        }
    }
    auto& ops = ops_[number];
    for (const auto& [id, from] : instructions) {
        const bool calls = from->opcode() == "fusion" && from->called_computation_ids_size() > 0;
        const auto inner = calls ? products.find(from->called_computation_ids(0)) : products.end();
        const HloOp* product = inner == products.end() ? nullptr : inner->second;
        ProgramOp op;
        op.type = type_of(*from, product);
        op.is_product = product != nullptr || is_product(*from);
        const ProductWork work =
            product ? fusion_work(*from, *computations.at(from->called_computation_ids(0)), instructions)
            : op.is_product ? product_work(*from, instructions)
                            : ProductWork();
        op.flops = work.flops;
        op.bytes = work.bytes;
        op.framework = from->metadata().op_name();
        OperandShapes shapes;
        for (const int64_t operand : from->operand_ids())
            if (const auto known = instructions.find(operand);
                known != instructions.end() && known->second->shape().element_type() != kTuple)
                shapes.add(hlo::type_name(known->second->shape().element_type()),
                           known->second->shape().dimensions());
        op.shapes = shapes.shapes();
        op.dtypes = shapes.dtypes();
        ops.try_emplace(from->name(), std::move(op));
    }
    return true;
}

const ProgramOp* Programs::find(int64_t program, std::string_view instruction) const {
    const auto known = ops_.find(program);
    if (known == ops_.end()) return nullptr;
    const auto op = known->second.find(std::string(instruction));
    return op == known->second.end() ? nullptr : &op->second;
}

}  // namespace opsight::importer::xplane
