#include "import/xplane/plane_ops.h"

#include <algorithm>

#include "base/text.h"
#include "import/text/clean_text.h"
#include "model/marks/xla_names.h"

namespace opsight::importer::xplane {
namespace {

// What XLA calls matrix products and convolutions, by category, instruction or the call that it became.
bool is_product(std::string_view category, std::string_view name) {
    for (const std::string_view text : {category, name})
        for (const std::string_view word : {"convolution", "gemm", "matmul", "cublas", "cudnn"})
            if (text::contains(text, word)) return true;
    return category == "dot" || name == "dot" || name.starts_with("dot.") || name.starts_with("dot_");
}

constexpr std::string_view kCollectives[] = {"all-reduce", "all-gather",         "reduce-scatter",
                                             "all-to-all", "collective-permute", "collective-broadcast"};

}  // namespace

PlaneOps::PlaneOps(const Plane& plane, Sink& sink) : sink_(sink), types_(plane.types().size() + 1) {
    for (const auto& [id, type] : plane.types())
        if (const auto [name, number] = program_of(type.name); !name.empty())
            modules_.try_emplace(number, name);
}

PlaneOps::TypeFacts& PlaneOps::facts_of(const Event& event) {
    TypeFacts& facts = types_[event.type];
    if (facts.is_known) return facts;
    facts.is_known = true;
    const auto text = read_instruction(event.name);
    facts.name = text ? text->name : event.display_name.empty() ? event.name : event.display_name;
    facts.kind = text && !text->opcode.empty() ? text->opcode : marks::without_number(facts.name);
    return facts;
}

StringId PlaneOps::text_of(const Event& event) {
    TypeFacts& facts = facts_of(event);
    if (facts.text.valid()) return facts.text;
    const StringId text = sink_.text(facts.name);
    if (is_clean(facts.name)) facts.text = text;
    return text;
}

std::string_view PlaneOps::module_of(const Event& event) const {
    if (!event.facts.hlo_module.empty()) return event.facts.hlo_module;
    const auto known = modules_.find(event.facts.program);
    return known == modules_.end() ? std::string_view() : known->second;
}

ToldOpId PlaneOps::op_of(const Event& event) {
    const Facts& facts = event.facts;
    const Key key = {event.name.data(),  facts.hlo_op.data(), facts.hlo_module.data(),
                     facts.scope.data(), facts.tf_op.data(),  facts.program};
    const auto [it, is_new] = known_.try_emplace(key);
    if (is_new) it->second = make(event);
    return it->second;
}

ToldOpId PlaneOps::make(const Event& event) {
    const Facts& facts = event.facts;
    const ProgramOp* in_program = sink_.programs.find(facts.program, facts.hlo_op);
    const bool placeholder = facts.tf_op.empty() || facts.tf_op.starts_with("XlaModule");
    std::string_view framework = placeholder ? facts.scope : facts.tf_op;
    if (framework.empty() && in_program) framework = in_program->framework;
    const auto text = read_instruction(event.name);
    const bool is_xla = text || !facts.hlo_op.empty() || !facts.category.empty();
    if (!is_xla && framework.empty()) return {};
    const marks::Scope scope = marks::read_scope(framework);
    ToldOp op;
    std::string_view name = text ? text->name : facts.hlo_op;
    if (name.empty() && is_xla) name = name_of(event);
    std::string_view type = facts.category;
    if (type.empty() && in_program) type = in_program->type;
    if (type.empty()) type = is_xla ? marks::without_number(name) : scope.type;
    if (!is_xla) name = scope.type.empty() ? scope.op : scope.type;
    op.name = sink_.text(name);
    op.type = sink_.text(type);
    std::string layer(module_of(event));
    if (!scope.layer.empty()) layer += (layer.empty() ? "" : "/") + scope.layer;
    if (!is_xla && !scope.op.empty()) layer += (layer.empty() ? "" : "/") + std::string(scope.op);
    op.layer = sink_.text(layer);
    op.framework = sink_.text(framework);
    (is_xla ? sink_.has_jax : sink_.has_tensorflow) |= !is_xla || framework.starts_with("jit(");
    if (text) {
        op.shapes = sink_.text(text->shapes);
        op.dtypes = sink_.text(text->dtypes);
    } else if (in_program) {
        op.shapes = sink_.text(in_program->shapes);
        op.dtypes = sink_.text(in_program->dtypes);
    }
    // What begins or awaits something that runs beside does not do its work.
    const std::string_view kind = kind_of(event);
    const bool is_beside = kind.ends_with("-start") || kind.ends_with("-done");
    op.flops = is_beside ? -1 : facts.model_flops >= 0 ? facts.model_flops : facts.flops;
    op.bytes = is_beside ? -1 : facts.bytes_accessed;
    if (op.flops < 0 && op.bytes < 0 && in_program && !is_beside) {
        op.flops = in_program->flops;
        op.bytes = in_program->bytes;
    }
    op.is_product = in_program ? in_program->is_product : is_xla && is_product(facts.category, name);
    return sink_.builder.told_op(op);
}

CollectiveId PlaneOps::collective_of(const Event& event) {
    TypeFacts& facts = facts_of(event);
    if (!facts.has_collective) facts.collective = make_collective(event);
    facts.has_collective = true;
    return facts.collective;
}

CollectiveId PlaneOps::make_collective(const Event& event) {
    const std::string_view kind = kind_of(event);
    const auto found = std::find_if(std::begin(kCollectives), std::end(kCollectives),
                                    [&](std::string_view name) { return kind.starts_with(name); });
    if (found == std::end(kCollectives)) return {};
    Collective collective;
    collective.name = sink_.text(*found);
    collective.dtype = collective.group_name = collective.group_description = collective.group_ranks =
        StringId(size_t{0});
    if (const auto text = read_instruction(event.name)) {
        collective.in_elements = text->in_elements;
        collective.out_elements = text->out_elements;
        std::string_view type = text->dtypes;  // ["float", ...
        type.remove_prefix(std::min<size_t>(2, type.size()));
        collective.dtype = sink_.text(type.substr(0, type.find('"')));
    }
    return sink_.builder.collective(collective);
}

}  // namespace opsight::importer::xplane
