/// core/cancellation.hpp on a system without cancellation. Included once, by the file of the system's threads.
#pragma once

#include <mallard/core/cancellation.hpp>

#if MALLARD_THREADS

namespace mallard::core { inline namespace MALLARD_LIBRARY {

cancellation_disabled::cancellation_disabled() noexcept = default;
// NOLINTNEXTLINE(modernize-use-equals-default): with pthreads it does something
cancellation_disabled::~cancellation_disabled() {}

}} // namespace mallard::core::MALLARD_LIBRARY

#endif
