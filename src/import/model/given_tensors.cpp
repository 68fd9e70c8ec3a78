#include "import/model/given_tensors.h"

#include <fmt/format.h>

namespace opsight::importer::model_import {

void GivenTensors::apply(ModelTensor& tensor) {
    if (const auto shape = options_.shapes.find(tensor.name); shape != options_.shapes.end()) {
        used_.insert(tensor.name);
        tensor.shape = shape->second;
        tensor.shape_known = true;
        tensor.has_value = false;
    }
    const auto values = options_.values.find(tensor.name);
    if (values == options_.values.end()) return;
    used_.insert(tensor.name);
    const auto count = static_cast<int64_t>(values->second.size());
    if (!tensor.shape_known) {
        tensor.shape = {count};
        tensor.shape_known = true;
    }
    if (tensor.elements() != count)
        misfit_ = fmt::format("'{}' has {} elements ({}), but {} values were given", tensor.name,
                              tensor.elements(), shape_text(tensor.shape), count);
    tensor.value = values->second;
    tensor.has_value = true;
}

Status GivenTensors::check() const {
    if (!misfit_.empty())
        return fail(
            Error{.what = misfit_, .remedy = "give as many, or its shape with --shape", .exit_code = 2});
    const auto unknown = [&](const auto& given) -> const std::string* {
        for (const auto& [name, what] : given)
            if (!used_.contains(name)) return &name;
        return nullptr;
    };
    const std::string* name = unknown(options_.shapes);
    if (!name) name = unknown(options_.values);
    if (!name) return {};
    return fail(Error{.what = fmt::format("the model has no tensor '{}'", *name),
                      .remedy = "names are those of its inputs and of the outputs of its nodes",
                      .exit_code = 2});
}

}  // namespace opsight::importer::model_import
