#include "query/session/memory_levels.h"

#include "hardware/memory_levels.h"
#include "query/session/sql.h"

namespace opsight::query {

Status list_memory_levels(Session& session) {
    using enum duck::Type;
    OPSIGHT_TRY(session.execute(session::sql::memory_levels));
    OPSIGHT_ASSIGN(duck::Appender to,
                   session.append_to("known_levels",
                                     {kVarchar, kInteger, kVarchar, kDouble, kBoolean, kVarchar, kVarchar}));
    for (const hardware::DeviceLevels& device : hardware::built_in_memory_levels()) {
        int32_t place = 0;
        for (const hardware::MemoryLevel& level : device.levels) {
            to.set_text(0, 0, device.name);
            *to.column<int32_t>(1) = place++;
            to.set_text(2, 0, level.name);
            *to.column<double>(3) = level.bandwidth;
            *to.column<bool>(4) = level.shared;
            to.set_text(5, 0, level.estimate);
            to.set_text(6, 0, level.source);
            OPSIGHT_TRY(to.add(1));
        }
    }
    return to.close();
}

}  // namespace opsight::query
