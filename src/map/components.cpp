#include "map/components.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "map/technology.h"

namespace opsight::map {
namespace {

// Figures of 45 nm, in pJ and um2.
constexpr double kBaseNm = 45;

// M. Horowitz, Computing's energy problem (and what we can do about it), ISSCC 2014, figure 1.1.9: 64 bits
// from a cache of 8, 32 and 1024 KiB take 10, 20 and 100 pJ, which is the root of the size; arithmetic of
// floats.
constexpr const char* kHorowitz = "Horowitz, ISSCC 2014";
constexpr double kCachePj = 10, kCacheBits = 64, kCacheBytes = 8192;
constexpr double kFloatMultiplyPj = 3.7, kFloatAddPj = 0.9;  // 32 bits; 16 bits are 1.1 and 0.4
constexpr double kHalfMultiplyPj = 1.1, kHalfAddPj = 0.4;
// M. Bohr, K. Mistry et al., IEDM 2007: the cell of an SRAM in 45 nm. Of the array it is about 80 %.
constexpr double kCellUm2 = 0.346, kCellShare = 0.8;

// Y. Shao et al., Aladdin, ISCA 2014, in the tables of Accelergy (accelergy-library-plug-in): 32 bits; a bit
// of a register.
constexpr const char* kAladdin = "Aladdin (ISCA 2014), as in Accelergy's library";
constexpr double kAddPj = 0.21, kAddUm2 = 278, kMultiplyPj = 12.68, kMultiplyUm2 = 6350;
constexpr double kComparePj = 0.02947, kCompareUm2 = 71, kCountPj = 0.25074, kCountUm2 = 495.5;
constexpr double kRegisterPj = 0.009, kRegisterUm2 = 5.98, kDatumBits = 32;

// S. Keckler et al., GPUs and the future of parallel computing, IEEE Micro 31 (2011), table 1: 310 pJ for 256
// bits over 10 mm in 40 nm.
constexpr const char* kKeckler = "Keckler et al., IEEE Micro 2011";
constexpr double kWirePjPerBitAndMm = 310.0 / 2560;

using Facts = ComponentFacts;
using Estimate = ComponentEstimate;

double width_of(const Facts& facts) {
    return facts.number({"width", "datawidth", "memory_width", "n_bits", "precision"}, kDatumBits);
}
double depth_of(const Facts& facts) {
    return facts.number({"depth", "memory_depth"}, 1);
}

Estimate sram(const Facts& facts) {
    const double width = width_of(facts), bits = width * depth_of(facts);
    const double pj = kCachePj * width / kCacheBits * std::sqrt(bits / 8 / kCacheBytes);
    return {{{"read", pj}, {"write", pj}, {"update", pj}}, bits * kCellUm2 / kCellShare, kHorowitz};
}

// A register is read where its address is; finding it takes as many comparators, both ways, as the address
// has bits.
Estimate register_file(const Facts& facts) {
    const double width = width_of(facts), depth = depth_of(facts);
    const double address = std::max(1.0, std::ceil(std::log2(std::max(1.0, depth))));
    const double pj = width * kRegisterPj + 2 * address * kComparePj;
    return {{{"read", pj}, {"write", pj}, {"update", pj}, {"push", pj}, {"pop", pj}},
            width * depth * kRegisterUm2 + 2 * address * kCompareUm2,
            kAladdin};
}

// A memory with an adder for the address of each port.
Estimate with_addresses(Estimate memory, const Facts& facts) {
    const double address = std::max(1.0, std::ceil(std::log2(std::max(1.0, depth_of(facts)))));
    for (auto& [name, pj] : memory.actions_pj)
        pj += kAddPj * address / kDatumBits;
    memory.area_um2 += 2 * kAddUm2 * address / kDatumBits;
    if (memory.source != kAladdin) memory.source += fmt::format(", addresses: {}", kAladdin);
    return memory;
}

Estimate dram(const Facts& facts) {
    struct Type {
        const char* name;
        double pj_per_bit;
        const char* source;
    };
    constexpr const char* kOld = "Malladi et al., ISCA 2012";
    constexpr const char* kNew = "Chatterjee et al., MICRO 2017";
    constexpr Type kTypes[] = {{"LPDDR4", 8, "public data, as in Accelergy's CACTI plug-in"},
                               {"LPDDR", 40, kOld},
                               {"DDR3", 70, kOld},
                               {"GDDR5", 14, kNew},
                               {"HBM2", 3.9, kNew}};
    const auto given = facts.texts.find("type");
    const Type* type = &kTypes[0];
    bool known = false;
    for (const Type& each : kTypes)
        if (given != facts.texts.end() && given->second == each.name) {
            type = &each;
            known = true;
        }
    const double pj = type->pj_per_bit * width_of(facts);
    const std::string source =
        fmt::format("{} ({}{})", type->name, type->source, known ? "" : "; no such type given");
    return {{{"read", pj}, {"write", pj}, {"update", pj}}, 0, source};
}

Estimate adder(const Facts& facts) {
    const double share = width_of(facts) / kDatumBits;
    const double pj = kAddPj * share;
    return {{{"add", pj}, {"read", pj}, {"compute", pj}, {"write", 0}, {"update", 0}, {"idle", 0}},
            kAddUm2 * share,
            kAladdin};
}

double multiplier_share(const Facts& facts) {
    const double width = width_of(facts);
    const double a = facts.number({"width_a", "datawidth_a", "multiplier_width"}, width);
    const double b = facts.number({"width_b", "datawidth_b", "multiplier_width"}, width);
    return a * b / kDatumBits / kDatumBits;
}

Estimate multiplier(const Facts& facts) {
    const double share = multiplier_share(facts), pj = kMultiplyPj * share;
    return {{{"multiply", pj}, {"read", pj}, {"compute", pj}, {"write", 0}, {"update", 0}, {"idle", 0}},
            kMultiplyUm2 * share,
            kAladdin};
}

Estimate integer_mac(const Facts& facts) {
    const double adds = facts.number({"adder_width"}, width_of(facts)) / kDatumBits;
    const double share = multiplier_share(facts);
    const double pj = kMultiplyPj * share + kAddPj * adds;
    return {{{"compute", pj}, {"mac_random", pj}, {"mac", pj}, {"read", pj}},
            kMultiplyUm2 * share + kAddUm2 * adds,
            kAladdin};
}

// Between 16 and 32 bits by a power that meets both.
Estimate float_mac(const Facts& facts) {
    const double halves = width_of(facts) / 16;
    const auto between = [halves](double half, double whole) {
        return half * std::pow(halves, std::log2(whole / half));
    };
    const double pj = between(kHalfMultiplyPj, kFloatMultiplyPj) + between(kHalfAddPj, kFloatAddPj);
    // W. Dally, High-performance hardware for machine learning, NIPS 2015 (tutorial): multipliers of 16 and
    // 32 bits in 45 nm take 1640 and 7700 um2, adders 1360 and 4184.
    return {{{"compute", pj}, {"mac_random", pj}, {"mac", pj}, {"read", pj}},
            between(1640, 7700) + between(1360, 4184),
            kHorowitz};
}

Estimate registers(const Facts& facts) {
    const double width = facts.number({"width", "datawidth"}, 1);
    const double pj = kRegisterPj * width;
    return {{{"read", pj}, {"write", 0}, {"update", 0}, {"idle", 0}},
            kRegisterUm2 * width * depth_of(facts),
            kAladdin};
}

// Its width is that of its table, unless it is given by that name: what is called n_bits does not change it.
Estimate comparator(const Facts& facts) {
    const double share = facts.number({"width", "datawidth"}, kDatumBits) / kDatumBits;
    const double pj = kComparePj * share;
    return {{{"compare", pj}, {"read", pj}, {"write", 0}, {"update", 0}, {"idle", 0}},
            kCompareUm2 * share,
            kAladdin};
}

Estimate counter(const Facts& facts) {
    const double share = width_of(facts) / kDatumBits;
    return {{{"count", kCountPj * share}, {"add", kCountPj * share}, {"read", kCountPj * share}},
            kCountUm2 * share,
            kAladdin};
}

Estimate wire(const Facts& facts) {
    const double pj = kWirePjPerBitAndMm * facts.number({"length"}, 1) * width_of(facts);
    return {{{"transfer", pj}, {"transfer_random", pj}, {"read", pj}, {"write", pj}}, 0, kKeckler};
}

struct Kind {
    const char* name;
    Estimate (*estimate)(const Facts&);
    double base_nm = kBaseNm;  // 0: whatever the technology
};

constexpr Kind kKinds[] = {
    {"SRAM", sram},
    {"cache", sram},
    {"smartbuffer_SRAM", [](const Facts& facts) { return with_addresses(sram(facts), facts); }},
    {"regfile", register_file},
    {"storage", register_file},
    {"FIFO", register_file},
    {"smartbuffer_RF", [](const Facts& facts) { return with_addresses(register_file(facts), facts); }},
    {"DRAM", dram, 0},
    {"intmac", integer_mac},
    {"mac", integer_mac},
    {"compute", integer_mac},
    {"fpmac", float_mac},
    {"intadder", adder},
    {"aladdin_adder", adder},
    {"intmultiplier", multiplier},
    {"aladdin_multiplier", multiplier},
    {"aladdin_register", registers},
    {"register", registers},
    {"aladdin_comparator", comparator},
    {"comparator", comparator},
    {"aladdin_counter", counter},
    {"counter", counter},
    {"wire", wire, 40}};

const Kind* find_kind(const std::string& name) {
    const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                     [&name](const Kind& kind) { return name == kind.name; });
    return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace

double ComponentFacts::number(std::initializer_list<const char*> names, double fallback) const {
    for (const char* name : names)
        if (const auto found = numbers.find(name); found != numbers.end()) return found->second;
    return fallback;
}

const double* ComponentEstimate::action(std::initializer_list<const char*> names) const {
    for (const char* name : names)
        if (const auto found = actions_pj.find(name); found != actions_pj.end()) return &found->second;
    return nullptr;
}

std::string estimated_classes() {
    std::string names;
    for (const Kind& kind : kKinds)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    return names;
}

Result<ComponentEstimate> estimate_component(const std::string& name, const ComponentFacts& facts) {
    const Kind* kind = find_kind(name);
    if (kind == nullptr)
        return fail(
            fmt::format("the class '{}' has no estimate", name), {}, {},
            "define it in compound_components, or give an ERT; these have one: " + estimated_classes());
    for (const char* size : {"width", "depth", "datawidth", "memory_width", "memory_depth", "length"})
        if (facts.number({size}, 1) <= 0 || facts.number({size}, 1) > 1e15)
            return fail(fmt::format("{} must be above 0, and below 10^15", size));
    ComponentEstimate estimate = kind->estimate(facts);
    if (kind->base_nm == 0) return estimate;
    const std::optional<double> energy = energy_scale(kind->base_nm, facts.technology_nm);
    const std::optional<double> area = area_scale(kind->base_nm, facts.technology_nm);
    if (!energy || !area)
        return fail(fmt::format("there are no estimates for {} nm", facts.technology_nm), {}, {},
                    fmt::format("those from {} to {} nm have some", kSmallestNm, kLargestNm));
    for (auto& [action, pj] : estimate.actions_pj)
        pj *= *energy;
    estimate.area_um2 *= *area;
    estimate.source += fmt::format(", {} nm", facts.technology_nm);
    if (facts.technology_nm != kind->base_nm) estimate.source += " by Stillmaker & Baas 2017";
    return estimate;
}

}  // namespace opsight::map
