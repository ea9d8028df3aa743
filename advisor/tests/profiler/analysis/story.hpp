/// Describes the calls and events of a program step by step, and analyses them.
#pragma once

#include "profiler/analysis/analysis.hpp"
#include "profiler/model/event_list.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::test {

class story {
public:
    using block = std::uint64_t; ///< its address

    /// Effects: moves the following steps to the thread.
    story& in_thread(std::uint32_t thread);
    /// Effects: calls a function from a line of the current one.
    story& call(const std::string& function, unsigned line = 1);
    story& leave();
    /// Effects: makes the following stacks incomplete, or complete again.
    story& lose_stacks(bool lost);
    story& wait(std::uint64_t ticks);

    block allocate(std::uint64_t bytes, unsigned line = 1,
                   trace::record_kind kind = trace::record_kind::malloc);
    /// Effects: the next block has the address.
    story& place(block address);
    void free(block address, unsigned line = 1, trace::record_kind kind = trace::record_kind::free);
    block reallocate(block address, std::uint64_t bytes, unsigned line = 1);
    /// Effects: adds an event without a block.
    void mark(trace::record_kind kind, std::uint64_t number, std::uint64_t bytes = 0, std::uint64_t pool = 0);

    /// Effects: times the last event, including a stamp each.
    story& time(std::uint64_t ticks, std::uint64_t by_recorder = 1);

    /// Effects: adds a control call that takes `ticks`.
    void control(trace::record_kind kind, std::uint64_t ticks, unsigned line);

    /// Returns: the sums of a function's activations.
    const advisor::scope_totals& scope(const std::string& function);
    /// Returns: the sums of a marked scope's activations.
    const advisor::scope_totals& marked(std::uint64_t name);
    const advisor::analysis& analysis();
    /// Returns: the document, with one scope in depth if it is named, and with all rows or the heaviest.
    std::string profile(const std::optional<std::string>& in_depth = {}, bool all_rows = false);

    trace::process process;
    std::vector<std::string> marked_names;
    std::vector<trace::memory_sample> memory;
    std::optional<std::vector<std::string>> suppressions;
    std::uint64_t begin_ticks = 0; ///< of the analysed part
    std::uint64_t end_ticks = std::numeric_limits<std::uint64_t>::max();

private:
    struct frame {
        std::string function;
        unsigned line = 1;
    };
    struct thread_state {
        std::vector<frame> frames;
        std::vector<std::uint64_t> shown; ///< addresses of the last stack
        bool lost = false;
    };

    trace::event& add(trace::record_kind kind, unsigned line);
    std::uint64_t level(const std::string& function, unsigned line);

    trace::context_tree contexts_;
    listed_names names_;
    std::vector<std::string> functions_;
    std::vector<trace::event> events_;
    std::vector<thread_state> threads_{1};
    std::uint32_t thread_ = 0;
    std::uint64_t ticks_ = 0;
    block next_ = 0x1000;
    std::unique_ptr<advisor::scope_tree> stacks_;
    std::unique_ptr<advisor::analysis> analysis_;
};

} // namespace mallard::test
