/// Scopes without an owning thread: an instance begins, threads enter and leave it, it ends.
///
/// Data model: the instances that have begun and not ended; for each thread the instances that it is in; for each block
/// allocated in an instance, the instance. Sums are kept by name.
#pragma once

#include "trace/event.hpp"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

class instances {
public:
    struct count {
        std::uint64_t blocks = 0;
        std::uint64_t bytes = 0;
    };
    struct totals {
        std::uint64_t instances = 0;
        count allocated, contained, escaped;
    };

    /// Requires: the event is one of an instance.
    void follow(const trace::event& event);
    void allocated(std::uint32_t thread, std::uint64_t address, std::uint64_t bytes);
    void freed(std::uint64_t address);

    [[nodiscard]] bool are_used() const noexcept { return !by_name_.empty(); }
    /// By the number of the name.
    [[nodiscard]] const std::map<std::uint64_t, totals>& by_name() const noexcept { return by_name_; }

private:
    struct instance {
        std::uint64_t name = 0;
        bool open = true;
    };
    struct block {
        std::size_t instance = 0;
        std::uint64_t bytes = 0;
    };

    std::map<std::uint64_t, totals> by_name_;
    std::vector<instance> all_;
    std::unordered_map<std::uint64_t, std::size_t> open_;                   ///< by number
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> of_thread_; ///< the current one is the last
    std::unordered_map<std::uint64_t, block> blocks_;
};

} // namespace mallard::advisor
