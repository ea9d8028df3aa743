/// The headers that most tests include, parsed once.
#pragma once

#include "equipment/ledger.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
