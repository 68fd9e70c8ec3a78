#include "mcp/message.h"

namespace opsight::mcp {
namespace {

constexpr size_t kMostInBatch = 100;

Message faulty(Fault fault, std::string problem, std::string id = "null") {
    Message message;
    message.id = std::move(id);
    message.fault = fault;
    message.problem = std::move(problem);
    return message;
}

Message read_message(const nlohmann::json& given) {
    if (!given.is_object()) return faulty(Fault::kRequest, "a message must be an object");
    Message message;
    const auto id = given.find("id");
    if (id != given.end()) {
        if (!id->is_string() && !id->is_number())
            return faulty(Fault::kRequest, "the id of a request must be a text or a number");
        message.id = id->dump();
    }
    const auto version = given.find("jsonrpc");
    if (version == given.end() || !version->is_string() || version->get_ref<const std::string&>() != "2.0")
        return faulty(Fault::kRequest, "\"jsonrpc\" must be \"2.0\"",
                      message.is_request() ? message.id : "null");
    const auto method = given.find("method");
    if (method == given.end() || !method->is_string()) {
        // An answer, though nothing was asked of the client: to be passed over.
        if (given.contains("result") || given.contains("error")) return Message{};
        return faulty(Fault::kRequest, "the message has no method",
                      message.is_request() ? message.id : "null");
    }
    message.method = method->get<std::string>();
    const auto params = given.find("params");
    if (params != given.end() && !params->is_null()) {
        if (!params->is_object() && message.is_request())
            return faulty(Fault::kParameters, "\"params\" must be an object", message.id);
        if (params->is_object()) message.params = *params;
    }
    return message;
}

}  // namespace

Line read_line(std::string_view text) {
    Line line;
    const nlohmann::json given = nlohmann::json::parse(text, nullptr, false);
    if (given.is_discarded()) {
        line.messages.push_back(faulty(Fault::kParse, "the line is not JSON"));
    } else if (!given.is_array()) {
        line.messages.push_back(read_message(given));
    } else if (given.empty() || given.size() > kMostInBatch) {
        line.messages.push_back(faulty(Fault::kRequest, "a batch has from 1 to 100 messages"));
    } else {
        line.batch = true;
        for (const nlohmann::json& each : given)
            line.messages.push_back(read_message(each));
    }
    return line;
}

std::string error_text(const std::string& id, Fault fault, const std::string& problem) {
    JsonWriter json;
    json.object([&] {
        json.field("jsonrpc", "2.0").key("id").raw(id);
        json.object("error", [&] { json.field("code", static_cast<int>(fault)).field("message", problem); });
    });
    return json.take();
}

std::string result_text(const std::string& id, std::string_view result) {
    JsonWriter json;
    json.object([&] { json.field("jsonrpc", "2.0").key("id").raw(id).key("result").raw(result); });
    return json.take();
}

}  // namespace opsight::mcp
