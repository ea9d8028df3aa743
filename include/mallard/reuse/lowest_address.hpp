/// The order of reuse "lowest address first".
///
/// The blocks in use gather at the low end of a pool's memory, in runs of one size (reuse/block_runs.hpp), and
/// stay there however often elements come and go: a long-lived structure keeps to few cache lines and pages. The
/// price: the next block is rarely the one that was in use a moment ago, and allocation and deallocation both
/// access a bitmap. An allocator of a single node needs more memory than with a list.
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
