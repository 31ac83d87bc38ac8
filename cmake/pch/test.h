// Precompiled for every unit test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "room.h"
