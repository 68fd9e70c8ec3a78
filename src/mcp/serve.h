// The server of `opsight mcp`: the Model Context Protocol over a stream of lines. docs/MCP.md says what
// clients may ask.
#pragma once

#include <functional>
#include <istream>
#include <string_view>

#include "mcp/tool.h"

namespace opsight::mcp {

struct Serving {
    Files files;  // at least one run or model
    double time_limit_s = 60;
    std::istream& in;
    // Takes one line with its end, which is to arrive at once. Called from one thread at a time.
    std::function<Status(std::string_view)> print;
};

// Until the input ends and all that was asked is answered. Questions are answered one after another, beside
// the reading, so that a client can ping, and withdraw one.
Status serve(const Serving& serving);

}  // namespace opsight::mcp
