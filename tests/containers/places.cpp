#include "containers/places.hpp"

#include <mallard/adapt/checked.hpp>
#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/limited.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/small_object_pool.hpp>

#include <cstdint>

namespace containers {

namespace {

using source = equipment::ledger;

template <class A>
place of(std::string name) {
    return {std::move(name),
            [](source& upstream) { return std::make_unique<mallard::resource<A>>(upstream); }};
}

} // namespace

const std::vector<place>& places() {
    using limited = mallard::limited<mallard::heap<source>>;
    static const std::vector<place> all{
        of<mallard::monotonic<source>>("monotonic"),
        of<mallard::multipool<source>>("multipool"),
        of<mallard::small_object_pool<source>>("small_object_pool"),
        of<mallard::heap<source>>("heap"),
        of<mallard::concurrent_multipool<source>>("concurrent_multipool"),
        of<mallard::checked<mallard::multipool<source>>>("checked multipool"),
        of<mallard::counted<mallard::synchronized<mallard::heap<source>>>>("counted synchronized heap"),
        {"limited heap",
         [](source& upstream) { return std::make_unique<mallard::resource<limited>>(SIZE_MAX, upstream); }},
    };
    return all;
}

} // namespace containers
