#include "query/sweep/prediction.h"

#include <simdjson.h>

#include <cmath>

#include "base/json_writer.h"

namespace opsight::query {

std::string prediction_json(const Prediction& prediction) {
    JsonWriter json;
    json.object([&] {
        json.field("predicted_by", prediction.by);
        json.list("points", [&] {
            for (const auto& each : prediction.ns)
                json.line().object([&] { json.field("point", each.first).field("ns", each.second); });
        });
    });
    return json.take() + "\n";
}

Result<Prediction> parse_prediction(const std::string& text, const std::string& file) {
    const auto other = [&](const char* what) {
        return fail(std::string("is not a prediction: ") + what, file, {},
                    "predict again with --predict, or remove the file");
    };
    simdjson::dom::parser parser;
    simdjson::dom::object in;
    if (const auto problem = parser.parse(text).get(in); problem != simdjson::SUCCESS)
        return other(simdjson::error_message(problem));
    std::string_view by;
    simdjson::dom::array points;
    if (in["predicted_by"].get(by) != simdjson::SUCCESS || in["points"].get(points) != simdjson::SUCCESS)
        return other("its points, or what predicted them, are missing");
    Prediction found{.ns = {}, .by = std::string(by)};
    for (const simdjson::dom::element each : points) {
        std::string_view point;
        double ns = 0;
        if (each["point"].get(point) != simdjson::SUCCESS || each["ns"].get(ns) != simdjson::SUCCESS ||
            !(ns > 0) || !std::isfinite(ns))
            return other("a point has no name, or no time above 0");
        found.ns[std::string(point)] = ns;
    }
    return found;
}

}  // namespace opsight::query
