#include "query/ask/result_table.h"

namespace opsight::query {
namespace {

constexpr Choice kDirections[] = {{"fprop", "forward"},       {"bprop", "backward"},
                                  {"optimizer", "optimizer"}, {"dataload", "data loading"},
                                  {"other", "other"},         {"", "–"}};
constexpr Choice kYesNo[] = {{"yes", "yes"}, {"no", "no"}};
constexpr Choice kAnswers[] = {{"yes", "yes"}, {"no", "no"}, {"unknown", "unknown"}, {"", "–"}};
constexpr Choice kWorkClasses[] = {{"compute", "compute"}, {"communication", "communication"}};
constexpr Choice kEvidence[] = {
    {"name", "name"}, {"sass", "sass"}, {"counter", "counter"}, {"none", "none"}, {"", "–"}};
constexpr Choice kSeverities[] = {
    {"error", "error"}, {"data_loss", "data loss"}, {"notice", "notice"}, {"info", "info"}};
constexpr Choice kOpOrRange[] = {{"op", "op"}, {"range", "range"}};
constexpr Choice kDeviceTypes[] = {{"GPU", "GPU"}, {"CPU", "CPU"}, {"other", "other"}};

}  // namespace

std::span<const Choice> choices_of(Role role) {
    switch (role) {
        case Role::kDirection:
            return kDirections;
        case Role::kYesNo:
        case Role::kWarning:
            return kYesNo;
        case Role::kAnswer:
            return kAnswers;
        case Role::kWorkClass:
            return kWorkClasses;
        case Role::kEvidence:
            return kEvidence;
        case Role::kSeverity:
            return kSeverities;
        case Role::kOpOrRange:
            return kOpOrRange;
        case Role::kDeviceType:
            return kDeviceTypes;
        case Role::kValue:
        case Role::kNumber:
        case Role::kId:
        case Role::kMoment:
        case Role::kShapes:
        case Role::kTypes:
        case Role::kStack:
            break;
    }
    return {};
}

}  // namespace opsight::query
