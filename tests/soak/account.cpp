#include "soak/account.hpp"

#include <iomanip>
#include <sstream>

namespace soak {

std::string format_line(const account& a) {
    std::ostringstream text;
    const double millions = static_cast<double>(a.operations) / 1e6;
    text << std::fixed << std::setprecision(1) << millions << " million operations in " << a.seconds << " s";
    if (a.seconds > 0) {
        text << ", " << std::setprecision(2) << millions / a.seconds << " million a second";
    }
    text << ", " << a.turns << " turns, seed " << a.seed;
    return text.str();
}

std::string format_json(const account& a, const build& build_info) {
    std::ostringstream text;
    const auto quoted = [](const char* s) { return std::quoted(s); };
    text << R"({"format": 1, "operations": )" << a.operations << R"(, "seconds": )" << std::fixed
         << std::setprecision(1) << a.seconds << R"(, "seed": )" << a.seed << R"(, "turns": )" << a.turns
         << R"(, "commit": )" << quoted(build_info.commit) << R"(, "compiler": )"
         << quoted(build_info.compiler) << R"(, "flags": )" << quoted(build_info.flags)
         << R"(, "sanitizers": )" << quoted(build_info.sanitizers) << R"(, "allocators": {)";
    const char* separator = "";
    for (const auto& [name, operations] : a.by_allocator) {
        text << separator << std::quoted(name) << ": " << operations;
        separator = ", ";
    }
    text << "}}";
    return text.str();
}

} // namespace soak
