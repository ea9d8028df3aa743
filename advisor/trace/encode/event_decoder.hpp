/// The body of a frame as events of one thread, in batches.
#pragma once

#include "trace/contexts/context_coder.hpp"
#include "trace/encode/block_model.hpp"
#include "trace/encode/operation.hpp"
#include "trace/encode/site_model.hpp"
#include "trace/file/columns.hpp"
#include "trace/file/frame.hpp"

#include <span>

namespace mallard::trace {

class event_decoder {
public:
    /// Effects: begins a frame, whose decompressed body must remain valid until the last event. `previous_context` is
    /// the context of the thread's last event with a stack before the frame.
    /// Requires: the body is followed by `unpacker::bytes_behind` bytes.
    /// Throws: bad_bytes.
    void begin(const frame_head& head, std::span<const std::byte> plain, const context_tree& contexts,
               context_id previous_context, std::uint32_t thread);

    /// Effects: decodes the next events into `to`.
    /// Returns: the number of events, 0 at the end of the frame.
    /// Throws: bad_bytes.
    std::size_t decode(std::span<event> to);

    /// The context of the last event with a stack.
    [[nodiscard]] context_id last_context() const noexcept { return sites_.last_context(); }

private:
    void decode_event(event& to);
    site_id decode_site(step method);
    site_id decode_new_site(step method);
    void decode_exceptions(unsigned exceptions, event& to, site_id id, site_pair& pair);
    void decode_time(event& to, site_pair& pair, const site& at);
    void decode_fields(event& to, site& at, std::uint8_t field);
    void decode_allocation(event& to, site& at, std::uint8_t field);
    void decode_release(event& to, site& at, std::uint8_t field);
    std::uint64_t decode_place(place_way method, std::uint16_t size_class, std::uint64_t& rank);

    const context_tree* contexts_ = nullptr;
    site_model sites_;
    block_model blocks_;
    count_model counts_;
    column_reader<column> columns_;
    std::uint32_t remaining_ = 0;
    std::uint32_t thread_ = 0;
    run_id next_run_ = stack_ends; ///< behind the last one whose leaf an event of the frame introduced
    std::uint64_t ticks_per_step_ = 1;
    std::uint64_t first_ticks_ = 0;
    std::uint64_t last_ticks_ = 0;
    std::uint64_t last_step_ = 0;
    std::uint64_t end_step_ = 0;
    std::uint64_t last_number_ = 0;
};

} // namespace mallard::trace
