/// The body of a frame as events of one thread, some at a time.
#pragma once

#include "trace/contexts/context_coder.hpp"
#include "trace/encode/block_model.hpp"
#include "trace/encode/columns.hpp"
#include "trace/encode/count_model.hpp"
#include "trace/encode/operation.hpp"
#include "trace/encode/site_model.hpp"
#include "trace/file/frame.hpp"

#include <span>

namespace mallard::trace {

class event_decoder {
public:
    /// Effects: begins with a frame, whose decompressed body stays where it is until the last event. `context_before` is
    /// the context of the thread's last event with a stack before the frame.
    /// Requires: `unpacker::bytes_behind` bytes are behind the body.
    /// Throws: bad_bytes.
    void begin(const frame_head& head, std::span<const std::byte> plain, const known_contexts& contexts,
               context_id context_before, std::uint32_t thread);

    /// Effects: the next events are in `to`.
    /// Returns: their number, 0 at the end of the frame.
    /// Throws: bad_bytes.
    std::size_t decode(std::span<event> to);

    /// The context of the last event with a stack.
    [[nodiscard]] context_id last_context() const noexcept { return sites_.last_context(); }

private:
    void decode_event(event& to);
    site_id decode_site(step way);
    site_id decode_new_site(step way);
    void decode_exceptions(unsigned exceptions, event& to, site_id which, site_pair& pair);
    void decode_time(event& to, site_pair& pair, const site& at);
    void decode_fields(event& to, site& at, std::uint8_t field);
    void decode_allocation(event& to, site& at, std::uint8_t field);
    void decode_release(event& to, site& at, std::uint8_t field);
    std::uint64_t decode_place(place_way way, std::uint16_t size_class, std::uint64_t& rank);

    const known_contexts* contexts_ = nullptr;
    site_model sites_;
    block_model blocks_;
    count_model counts_;
    column_reader<column> columns_;
    std::uint32_t left_ = 0;
    std::uint32_t thread_ = 0;
    std::size_t next_leaf_ = 0;
    std::uint64_t ticks_of_step_ = 1;
    std::uint64_t first_ticks_ = 0;
    std::uint64_t last_ticks_ = 0;
    std::uint64_t last_step_ = 0;
    std::uint64_t end_step_ = 0;
    std::uint64_t last_number_ = 0;
};

} // namespace mallard::trace
