# What compiles for CUDA devices. Without CUDA's compiler there is none of it, and FWA_CUDA is off from here on.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  set(FWA_CUDA OFF)
  return()
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90a 100)  # 90a: Hopper's own instructions, which 90 does not have
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

add_library(fwa_device INTERFACE)
target_compile_features(fwa_device INTERFACE cxx_std_20)
target_include_directories(fwa_device INTERFACE ${PROJECT_SOURCE_DIR}/include)
# -std by hand: CMake 3.25 does not know what CUDA 13 can do.
target_compile_options(fwa_device INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -Werror=all-warnings>)
target_link_libraries(fwa_device INTERFACE CUDA::cudart_static)
