// Imports any bytes as each of TensorRT's exports, and as all of them at once.
#include "import/tensorrt/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    namespace tensorrt = opsight::importer::tensorrt;
    tensorrt::Engine engine;
    engine.source = "input";
    bool unclean = false;
    const auto text = [&] { return std::string(reinterpret_cast<const char*>(data), size); };
    std::string first = text(), second = text(), third = text(), fourth = text();
    if (auto times = tensorrt::read_layer_times(first, unclean)) engine.times = std::move(*times);
    if (auto runs = tensorrt::read_runs(second, unclean)) engine.runs = std::move(*runs);
    if (auto layers = tensorrt::read_layers(third, unclean)) engine.layers = std::move(*layers);
    (void)tensorrt::read_facts(fourth, unclean, engine.facts);
    opsight::ProfileBuilder builder;
    if (tensorrt::add_engine(engine, builder)) (void)std::move(builder).finish();
    return 0;
}
