// The headers that most of the runner's files include, parsed once.
#include <mallard/mallard.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
