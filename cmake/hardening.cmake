# Compiler options against exploitation of memory errors, for all targets: stack canaries and
# probes, checked functions of the C library, marked jump targets (CET), and address tables that are
# read-only before main(). docs/decisions.md has their costs.
option(WAVEPASS_HARDENING "Build with the hardening options that the compiler supports" ON)

set(WP_HARDENING)
if(WAVEPASS_HARDENING AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    include(CheckCCompilerFlag)
    foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
        string(MAKE_C_IDENTIFIER "WP_HAS${flag}" known)
        check_c_compiler_flag(${flag} ${known})
        if(${known})
            list(APPEND WP_HARDENING ${flag})
        endif()
    endforeach()
    foreach(flag IN LISTS WP_HARDENING)
        add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:${flag}>
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
    endforeach()
    # The C library's checks require optimization; sanitizers replace them.
    if(NOT WAVEPASS_SANITIZE)
        add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>:\
-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    endif()
    add_link_options(LINKER:-z,relro,-z,now)
endif()
