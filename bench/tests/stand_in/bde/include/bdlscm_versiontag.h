#pragma once

#define BDL_VERSION_MAJOR 0
#define BDL_VERSION_MINOR 0
