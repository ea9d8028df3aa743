/// The order of reuse "lowest address first".
///
/// What a pool has in use gathers at the low end of its memory, in runs of one size (reuse/block_runs.hpp),
/// and stays there however often elements come and go: a long-lived structure keeps to few cache lines and
/// pages. The price: a block that was in use a moment ago is not necessarily the next, and both allocation
/// and deallocation read a bitmap. An allocator of a single node needs more memory than with a list.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/reuse/block_runs.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/runs_by_class.hpp>

namespace mallard::inline MALLARD_MODE {

struct lowest_address {
    template <size_class_policy Classes>
    using by_class = reuse::runs_by_class<reuse::block_runs, Classes>;
    using of_one_size = reuse::block_runs;
};

static_assert(reuse_order<lowest_address>);

} // namespace mallard::inline MALLARD_MODE
