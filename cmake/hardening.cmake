# What makes a mistake end the program instead of being of use to somebody, for all that is built
# here: canaries on the stack and pages of it touched in order, checked calls of the C library,
# targets of jumps marked (CET), and tables of addresses that are read-only before main(). What
# it costs: docs/decisions.md.
option(WAVEPASS_HARDENING "Build with what hardens programs, where the compiler knows it" ON)

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
    # The C library's checks are for code that is optimised; the sanitizers have their own.
    if(NOT WAVEPASS_SANITIZE)
        add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>:\
-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    endif()
    add_link_options(LINKER:-z,relro,-z,now)
endif()
