#include "query/tables/families.h"

#include "query/dlprof/dlprof.h"
#include "query/nsys/expert.h"
#include "query/tables/tables.h"

namespace opsight::query {

const std::vector<const Family*>& families() {
    static const std::vector<const Family*> all = {&report_family(), &dlprof::report_family(),
                                                   &nsys::reports().family(), &nsys::rules().family(),
                                                   &table_family()};
    return all;
}

}  // namespace opsight::query
