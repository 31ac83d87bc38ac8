# Two precompiled headers, one for the rooms and one for their tests: gmock and Boost.JSON alone are seven seconds a unit.
#
# CMCP_PCH is off in dev and coverage, so that a file that forgets an include does not compile somewhere.
option(CMCP_PCH "precompiled headers" OFF)

# precompile(TARGET room|test)
function(precompile target kind)
  if(CMCP_PCH)
    target_precompile_headers(${target} REUSE_FROM cmcp_pch_${kind})
  endif()
endfunction()

if(NOT CMCP_PCH)
  return()
endif()
# A precompiled header is used only where the same macros are set: those of Boost.JSON then hold in every room.
target_compile_definitions(cmcp_flags INTERFACE $<TARGET_PROPERTY:Boost::json,INTERFACE_COMPILE_DEFINITIONS>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Without the time in it, so that ccache knows it again.
  target_compile_options(cmcp_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
add_library(cmcp_pch_room STATIC ${CMAKE_SOURCE_DIR}/cmake/pch/room.cc)
target_link_libraries(cmcp_pch_room PRIVATE cmcp_flags)
target_precompile_headers(cmcp_pch_room PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch/room.h)
if(BUILD_TESTING)
  add_executable(cmcp_pch_test ${CMAKE_SOURCE_DIR}/cmake/pch/test.cc)
  target_link_libraries(cmcp_pch_test PRIVATE cmcp_flags GTest::gmock_main)
  target_precompile_headers(cmcp_pch_test PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch/test.h)
endif()
