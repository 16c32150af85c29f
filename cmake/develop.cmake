# What people who work on the library build; users of the target never see it.
option(FWA_HEAVY "Build benchmarks and property tests: the first count allocations, the second compile for long, so not under sanitizers" ON)

option(FWA_FUZZ "Build the fuzzers: clang with libFuzzer" OFF)

find_package(Boost 1.81 REQUIRED)
find_package(doctest REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(xtensor REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenMP)

add_library(fwa_develop INTERFACE)
target_link_libraries(fwa_develop INTERFACE fwa::fwa)
target_compile_options(fwa_develop INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Werror)

# The rooms of the library that need more than Eigen: number/ (Boost) and batch/ (xtensor, OpenMP where found).
add_library(fwa_rooms INTERFACE)
target_link_libraries(fwa_rooms INTERFACE fwa_develop Boost::headers xtensor)
if(OpenMP_CXX_FOUND)
  target_link_libraries(fwa_rooms INTERFACE OpenMP::OpenMP_CXX)
endif()

# Target all_verify_interface_header_sets: every header of every room compiles alone, with the warnings above.
add_library(fwa_headers_alone INTERFACE)
target_sources(fwa_headers_alone INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${fwa_headers})
target_link_libraries(fwa_headers_alone INTERFACE fwa_rooms)
set_target_properties(fwa_headers_alone PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

enable_testing()
add_subdirectory(program)
add_subdirectory(tests)
add_subdirectory(tests/packaging)
add_subdirectory(examples)
if(FWA_FUZZ)
  add_subdirectory(tests/fuzz)
endif()
if(FWA_HEAVY)
  add_subdirectory(property_tests)
  find_package(benchmark REQUIRED)
  add_subdirectory(benchmarks)
endif()
