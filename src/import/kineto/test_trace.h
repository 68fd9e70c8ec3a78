// Traces of the tests of this folder, and rows of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/test_files.h"
#include "import/import.h"
#include "import/kineto/importer.h"

namespace opsight::importer::kineto {

inline Profile import_text(std::string_view text, size_t threads = 1) {
    const auto source = memory_source(text);
    ProfileBuilder builder;
    TraceOptions options;
    options.threads = threads;
    const auto facts = import_trace(*source, "test", options, builder);
    EXPECT_TRUE(facts.has_value()) << facts.error().message();
    return std::move(builder).finish();
}

inline Profile import_seed(const std::string& name) {
    return import_text(testing::read_file(std::string(OPSIGHT_SOURCE_DIR) + "/tests/fuzz/seeds/" + name));
}

// Events given as the inside of the list.
inline Profile import_events(const std::string& events) {
    return import_text("[" + events + "]");
}

inline size_t host_row(const Profile& p, std::string_view name) {
    for (size_t i = 0; i < p.host.size(); ++i)
        if (p.strings.view(p.host.name[i]) == name) return i;
    ADD_FAILURE() << "no host span " << name;
    return 0;
}

inline size_t device_row(const Profile& p, std::string_view name) {
    for (size_t i = 0; i < p.device.size(); ++i)
        if (p.strings.view(p.device.name[i]).starts_with(name)) return i;
    ADD_FAILURE() << "no device span " << name;
    return 0;
}

}  // namespace opsight::importer::kineto
