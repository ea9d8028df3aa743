/// The default allocator of other libraries' containers in their own tests: a multipool in each thread, checked.
#pragma once

#include <mallard/bind/pool_tag.hpp>
#include <mallard/bind/static_allocator.hpp>
#include <mallard/local/multipool.hpp>

namespace suites {

struct thread_pool : mallard::per_thread<thread_pool, mallard::multipool<>> {};

template <class T>
using allocator = mallard::static_allocator<T, thread_pool>;

} // namespace suites
