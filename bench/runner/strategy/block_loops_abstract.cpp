/// The loops behind the abstract base and the inline base, where no resource is known.
#include "runner/strategy/block_loops.hpp"
#include "runner/strategy/handover.hpp"

namespace bench {

template void allocate_and_deallocate(std::pmr::memory_resource&, std::size_t, std::size_t);
template void fill_ring(std::pmr::memory_resource&, std::size_t, std::span<std::byte*>);
template std::size_t churn_ring(std::pmr::memory_resource&, std::size_t, std::span<std::byte*>, std::size_t);
template void empty_ring(std::pmr::memory_resource&, std::size_t, std::span<std::byte*>, std::size_t);
template void hand_over(std::pmr::memory_resource&, std::size_t, std::size_t, batch_queue&, batch_queue&,
                        std::atomic<bool>&);

template void allocate_and_deallocate(mallard::inline_resource&, std::size_t, std::size_t);
template void fill_ring(mallard::inline_resource&, std::size_t, std::span<std::byte*>);
template std::size_t churn_ring(mallard::inline_resource&, std::size_t, std::span<std::byte*>, std::size_t);
template void empty_ring(mallard::inline_resource&, std::size_t, std::span<std::byte*>, std::size_t);
template void hand_over(mallard::inline_resource&, std::size_t, std::size_t, batch_queue&, batch_queue&,
                        std::atomic<bool>&);

} // namespace bench
