// What was predicted for a sweep, as its folder keeps it.
#pragma once

#include <string>

#include "base/result.h"
#include "query/sweep/sweep.h"

namespace opsight::query {

std::string prediction_json(const Prediction& prediction);
// Fails where the text is not one; `file` is named then.
Result<Prediction> parse_prediction(const std::string& text, const std::string& file);

}  // namespace opsight::query
