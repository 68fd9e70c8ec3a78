// Small problems and machines for tests.
#pragma once

#include <random>

#include "map/mapping.h"

namespace opsight::map {

// O[k][p][q] += W[k][c][r][s] * I[c][p * stride + r * dilation][q + s]
inline Problem convolution(int64_t k, int64_t c, int64_t p, int64_t q, int64_t r, int64_t s,
                           int64_t stride = 1, int64_t dilation = 1) {
    return {"convolution",
            {{"K", k}, {"C", c}, {"P", p}, {"Q", q}, {"R", r}, {"S", s}},
            {{"Weights", {{{0}}, {{1}}, {{4}}, {{5}}}},
             {"Inputs", {{{1}}, {{4, dilation}, {2, stride}}, {{5}, {3}}}},
             {"Outputs", {{{0}}, {{2}}, {{3}}}, true}}};
}

// O[g][p] += W[g][r] * I[g][p * stride + r]: each channel alone.
inline Problem depthwise(int64_t g, int64_t p, int64_t r, int64_t stride = 1) {
    return {"depthwise",
            {{"G", g}, {"P", p}, {"R", r}},
            {{"Weights", {{{0}}, {{2}}}},
             {"Inputs", {{{0}}, {{1, stride}, {2}}}},
             {"Outputs", {{{0}}, {{1}}}, true}}};
}

// C[m][n] += A[m][k] * B[k][n]
inline Problem product(int64_t m, int64_t n, int64_t k) {
    return {"product",
            {{"M", m}, {"N", n}, {"K", k}},
            {{"A", {{{0}}, {{2}}}}, {"B", {{{2}}, {{1}}}}, {"C", {{{0}}, {{1}}}, true}}};
}

// Z[i][j] += A[i][k][l] * B[k][j] * C[l][j]: of a tensor, with three operands.
inline Problem mttkrp(int64_t i, int64_t j, int64_t k, int64_t l) {
    return {"mttkrp",
            {{"I", i}, {"J", j}, {"K", k}, {"L", l}},
            {{"A", {{{0}}, {{2}}, {{3}}}},
             {"B", {{{2}}, {{1}}}},
             {"C", {{{3}}, {{1}}}},
             {"Z", {{{0}}, {{1}}}, true}}};
}

// S[h][q][k] += Q[h][q][d] * K[h][k][d]: the scores of attention, head by head.
inline Problem attention(int64_t h, int64_t q, int64_t k, int64_t d) {
    return {"attention",
            {{"H", h}, {"Q", q}, {"K", k}, {"D", d}},
            {{"Queries", {{{0}}, {{1}}, {{3}}}},
             {"Keys", {{{0}}, {{2}}, {{3}}}},
             {"Scores", {{{0}}, {{1}}, {{2}}}, true}}};
}

// Registers in a mesh, a buffer, and a memory that holds all.
inline Architecture three_levels(int64_t x = 4, int64_t y = 4, int64_t registers = 1 << 20,
                                 int64_t buffer = 1 << 20) {
    Architecture out{"test", {.name = "mac", .mesh = {x, y}, .compute_pj = 1}, {}};
    out.levels.push_back({.name = "registers",
                          .capacity = registers,
                          .mesh = {x, y},
                          .read_pj = 1,
                          .write_pj = 1.5,
                          .update_pj = 1.25});
    out.levels.push_back({.name = "buffer", .capacity = buffer, .read_pj = 6, .write_pj = 7, .update_pj = 8});
    out.levels.push_back({.name = "memory", .dram = true, .read_pj = 200, .write_pj = 200, .update_pj = 200});
    return out;
}

// Factors of each dimension at random levels and across random axes, in a random order; data spaces bypass
// levels at random.
inline Mapping random_mapping(const Problem& problem, const Architecture& architecture,
                              std::mt19937& random) {
    const size_t levels = architecture.levels.size();
    Mapping mapping;
    mapping.levels.resize(levels);
    std::vector<Mesh> room;
    for (size_t i = 0; i < levels; ++i)
        room.push_back(architecture.fanout(i));
    for (size_t dimension = 0; dimension < problem.dimensions.size(); ++dimension) {
        int64_t rest = problem.dimensions[dimension].bound;
        for (size_t i = 0; rest > 1; i = (i + 1) % levels)
            for (const Across across : {Across::kX, Across::kY, Across::kTime}) {
                int64_t count = static_cast<int64_t>(random() % static_cast<uint64_t>(rest)) + 1;
                while (rest % count != 0)
                    --count;
                int64_t one = 1;
                int64_t& free = across == Across::kX ? room[i].x : across == Across::kY ? room[i].y : one;
                if (across != Across::kTime && count > free) continue;
                if (count == 1 || random() % 2 == 0) continue;
                if (across != Across::kTime) free /= count;
                rest /= count;
                mapping.levels[i].loops.push_back({static_cast<int>(dimension), count, across});
            }
    }
    for (size_t i = 0; i < levels; ++i) {
        std::vector<Loop>& loops = mapping.levels[i].loops;
        std::shuffle(loops.begin(), loops.end(), random);
        std::stable_partition(loops.begin(), loops.end(),
                              [](const Loop& loop) { return loop.across != Across::kTime; });
        mapping.levels[i].kept = i + 1 == levels ? ~0U : random();
    }
    return mapping;
}

}  // namespace opsight::map
