/// The headers that most tests include, parsed once.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>
