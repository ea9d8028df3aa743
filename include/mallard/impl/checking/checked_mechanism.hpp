/// The class that checks a mechanism of any kind.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/impl/checking/checked_expansion.hpp>
#include <mallard/impl/checking/pool_with_zones.hpp>

namespace mallard::checking { inline namespace MALLARD_MODE {

/// A pool of one size has larger blocks here, so that there is room for guard zones.
template <class Mechanism>
using checked_mechanism = checked_expansion<room_for_zones_t<Mechanism>>;

}} // namespace mallard::checking::MALLARD_MODE
