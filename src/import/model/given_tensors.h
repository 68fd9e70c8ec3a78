// What the user says of a model's tensors on the command line.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "import/model/model_import.h"

namespace opsight::importer::model_import {

// `options` must outlive it.
class GivenTensors {
  public:
    explicit GivenTensors(const ModelOptions& options) : options_(options) {}

    // Sets shape and values where they were given for the tensor of this name.
    void apply(ModelTensor& tensor);
    // An error where something was given for a tensor that the model does not have, or values that do not
    // fill it.
    Status check() const;

  private:
    const ModelOptions& options_;
    std::set<std::string> used_;
    std::string misfit_;
};

}  // namespace opsight::importer::model_import
