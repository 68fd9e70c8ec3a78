// Messages of JSON-RPC 2.0, as the Model Context Protocol frames them on standard input and output: one on
// each line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace opsight::mcp {

// The errors of JSON-RPC, by their numbers.
enum class Fault : int {
    kNone = 0,
    kParse = -32700,
    kRequest = -32600,
    kMethod = -32601,
    kParameters = -32602,
    kInternal = -32603
};

struct Message {
    std::string id;  // as JSON; empty: a notification, which gets no answer
    std::string method;
    nlohmann::json params = nlohmann::json::object();
    // What is wrong with it as a message, and the answer that it gets.
    Fault fault = Fault::kNone;
    std::string problem = {};
    bool is_request() const { return !id.empty(); }
};

struct Line {
    std::vector<Message> messages;
    bool batch = false;  // several, whose answers go out together
};

// Never fails: what is not a message has a fault.
Line read_line(std::string_view text);

std::string error_text(const std::string& id, Fault fault, const std::string& problem);
// `result` is JSON.
std::string result_text(const std::string& id, std::string_view result);

}  // namespace opsight::mcp
