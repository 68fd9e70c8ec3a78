// Databases of DLProf for tests: that of tests/fuzz/exports/dlprof.sql, as it is or with more SQL run on it.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "base/test_sqlite.h"

namespace opsight::testing {

inline std::string dlprof_sql(const std::string& more = {}) {
    std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/exports/dlprof.sql");
    return "BEGIN;" + std::string(std::istreambuf_iterator<char>(file), {}) + more + "COMMIT;";
}

inline std::string dlprof_version(const std::string& version) {
    return "UPDATE db_version SET current_version = '" + version + "';";
}

// What 1.2 did not have: directions, stacks, the model's configuration.
inline const std::string kAsIn12 = dlprof_version("1.2.0") +
                                   "ALTER TABLE read_only_ops DROP COLUMN direction_id;"
                                   "ALTER TABLE read_only_ops DROP COLUMN stack_trace;"
                                   "DROP TABLE read_only_model_config;";

}  // namespace opsight::testing
