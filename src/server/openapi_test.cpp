// docs/openapi.json against the routes: what is served is described, and nothing else.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "query/tables/tables.h"
#include "server/router.h"

namespace opsight::server {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;

Json description() {
    std::ifstream file(OPSIGHT_SOURCE_DIR "/docs/openapi.json");
    return Json::parse(file);
}

Json resolved(const Json& document, const Json& node) {
    if (!node.contains("$ref")) return node;
    return document.at(Json::json_pointer(node["$ref"].get<std::string>().substr(1)));
}

// Names of the parameters of an operation that stand in `where`.
Names parameters(const Json& document, const Json& operation, const std::string& where) {
    Names names;
    for (const Json& each : operation.at("parameters"))
        if (const Json parameter = resolved(document, each); parameter["in"] == where)
            names.insert(parameter["name"].get<std::string>());
    return names;
}

Names names_in_pattern(const std::string& pattern) {
    Names names;
    for (size_t at = 0; (at = pattern.find('{', at)) != pattern.npos; ++at)
        names.insert(pattern.substr(at + 1, pattern.find('}', at) - at - 1));
    return names;
}

std::string lower(std::string text) {
    for (char& c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

TEST(OpenApi, DescribesEachRouteWithItsParameters) {
    const Json document = description();
    for (const Route& route : all_routes()) {
        const std::string place = route.method + " " + route.pattern;
        ASSERT_TRUE(document["paths"].contains(route.pattern)) << place;
        const Json& item = document["paths"][route.pattern];
        ASSERT_TRUE(item.contains(lower(route.method))) << place;
        const Json& operation = item[lower(route.method)];
        EXPECT_EQ(parameters(document, operation, "query"),
                  Names(route.parameters.begin(), route.parameters.end()))
            << place;
        EXPECT_EQ(parameters(document, operation, "path"), names_in_pattern(route.pattern)) << place;
        EXPECT_FALSE(operation["summary"].get<std::string>().empty()) << place;
        EXPECT_TRUE(operation["responses"].contains("default")) << place;
    }
}

TEST(OpenApi, DescribesNothingElse) {
    Names served, described;
    for (const Route& route : all_routes())
        served.insert(lower(route.method) + " " + route.pattern);
    const Json document = description();
    for (const auto& [path, item] : document["paths"].items())
        for (const auto& [method, operation] : item.items())
            described.insert(method + " " + path);
    EXPECT_EQ(described, served);
}

TEST(OpenApi, NamesEachTable) {
    const Json document = description();
    Names described;
    for (const Json& parameter :
         document["paths"]["/api/v1/profiles/{id}/tables/{name}"]["get"]["parameters"])
        if (parameter.value("name", "") == "name")
            for (const Json& name : parameter["schema"]["enum"])
                described.insert(name.get<std::string>());
    const auto names = query::table_family().names();
    EXPECT_EQ(described, Names(names.begin(), names.end()));
}

}  // namespace
}  // namespace opsight::server
