// Instances of the suite for every allocator. Test names are allocator/contract.promise/adaptor_binding.
#include "contract/kind_test.hpp"

namespace contract {

namespace {

std::string upstream_name(const ::testing::TestParamInfo<kind>& info) {
    const bool plain = info.param.adaptor == "plain";
    return info.param.allocator + "_" + (plain ? "" : info.param.adaptor + "_") + info.param.binding;
}

} // namespace

#define INSTANTIATE_LOCAL(allocator)                                                                         \
    INSTANTIATE_TEST_SUITE_P(allocator, contract, ::testing::ValuesIn(local_allocators(#allocator)),         \
                             test_name);                                                                     \
    INSTANTIATE_TEST_SUITE_P(allocator, local_contract, ::testing::ValuesIn(local_allocators(#allocator)),   \
                             test_name);                                                                     \
    INSTANTIATE_TEST_SUITE_P(allocator, failure_contract, ::testing::ValuesIn(local_allocators(#allocator)), \
                             test_name)

INSTANTIATE_LOCAL(monotonic);
INSTANTIATE_LOCAL(monotonic_with_buffer);
INSTANTIATE_LOCAL(multipool_last_freed);
INSTANTIATE_LOCAL(multipool_first_freed);
INSTANTIATE_LOCAL(multipool_of_small_blocks);
INSTANTIATE_LOCAL(fast_fit);
INSTANTIATE_LOCAL(fixed_pool_last_freed);
INSTANTIATE_LOCAL(fixed_pool_first_freed);
INSTANTIATE_LOCAL(multipool_over_monotonic);
INSTANTIATE_LOCAL(monotonic_over_multipool);
INSTANTIATE_LOCAL(synchronized_monotonic);
INSTANTIATE_LOCAL(synchronized_multipool);
INSTANTIATE_LOCAL(small_object_pool);
INSTANTIATE_LOCAL(adaptive_pool);
INSTANTIATE_LOCAL(adaptive_pool_aligned);
INSTANTIATE_LOCAL(concurrent_multipool);
INSTANTIATE_LOCAL(concurrent_multipool_of_small_blocks);
INSTANTIATE_LOCAL(segregate);
INSTANTIATE_LOCAL(fallback);
INSTANTIATE_LOCAL(multipool_over_reference);
INSTANTIATE_LOCAL(heap);
INSTANTIATE_LOCAL(heap_of_small_chunks);
INSTANTIATE_LOCAL(heap_over_multipool);
INSTANTIATE_LOCAL(synchronized_heap);

INSTANTIATE_TEST_SUITE_P(upstream, contract, ::testing::ValuesIn(upstreams()), upstream_name);

} // namespace contract
