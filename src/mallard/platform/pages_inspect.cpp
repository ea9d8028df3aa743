// In a file of its own: few programs ask, and the streams are large.
#include <mallard/upstream/pages.hpp>

#ifdef __linux__
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#endif

namespace mallard { inline namespace MALLARD_LIBRARY {

page_report pages::inspect([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) {
    page_report report;
#ifdef __linux__
    std::ifstream maps("/proc/self/smaps");
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    bool overlaps = false;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (const auto dash = key.find('-'); dash != std::string::npos && key.back() != ':') {
            const auto low = std::stoull(key, nullptr, 16);
            const auto high = std::stoull(key.substr(dash + 1), nullptr, 16);
            overlaps = low < begin + bytes && begin < high;
        } else if (overlaps && (key == "Rss:" || key == "AnonHugePages:")) {
            std::size_t kibibytes = 0;
            words >> kibibytes;
            (key == "Rss:" ? report.resident_bytes : report.huge_bytes) += kibibytes << 10;
            report.known = true;
        }
    }
#endif
    return report;
}

}} // namespace mallard::MALLARD_LIBRARY
