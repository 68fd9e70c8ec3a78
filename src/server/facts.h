// What the list of profiles tells of one.
#pragma once

#include <cstdint>
#include <string>

#include "query/reports/info.h"
#include "server/http.h"

namespace opsight::server {

struct ProfileFacts {
    std::string producer;
    int64_t duration_ns = 0, ranks = 0, devices = 0, iterations = 0, kernels = 0, ops = 0,
            ranges = 0;        // named ones: of NVTX, or annotations
    bool device_work = false;  // of any kind, kernels or not
};

// As fields of the object that is open.
void put_facts(JsonWriter& json, const ProfileFacts& facts);

ProfileFacts facts_of(const query::Info& info);

// Opens the file for as long as that takes.
Expected<ProfileFacts> read_facts(const std::string& path, bool may_write);

constexpr int kNotUsable = 422;
// A profile that cannot be opened is told apart from a failure of ours: its state is shown on the page. What
// the error says goes on from the file's name.
Problem not_usable(const std::string& path, const Error& error);
// An error that says what it likes, made to go on from a file's name: "cannot be read: ...".
Error about_a_file(std::string_view failed, Error error);

}  // namespace opsight::server
