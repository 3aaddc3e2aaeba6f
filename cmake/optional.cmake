# Optional dependencies. The option WAVEPASS_NAME is
#
#   AUTO  use the dependency if it is found; otherwise report what is missing
#   ON    require it: an error if it is not found
#   OFF   do not use it
#
# WP_NAME_MISSING is the reason why it is not used, or empty.

# wp_option(NAME DEFAULT DESCRIPTION [VALUE...]): declares the option. A VALUE in addition to these
# requires the dependency like ON.
function(wp_option name default description)
    set(option WAVEPASS_${name})
    set(values AUTO ON OFF ${ARGN})
    list(JOIN values ", " listed)
    set(${option} ${default} CACHE STRING "${description}: ${listed}")
    set_property(CACHE ${option} PROPERTY STRINGS ${values})
    string(TOUPPER "${${option}}" value)
    if(NOT value IN_LIST values AND NOT value MATCHES "^(TRUE|FALSE|YES|NO|Y|N|1|0)$")
        message(FATAL_ERROR "${option} is '${${option}}'; its values are ${listed}.")
    endif()
    set(missing "")
    if(NOT ${option})
        set(missing "it was turned off with ${option}=OFF")
    endif()
    set(WP_${name}_MISSING "${missing}" PARENT_SCOPE)
endfunction()

# wp_optional(NAME REASON PACKAGE WITHOUT): resolves an option after its caller has looked for the
# dependency, which is done only if WP_NAME_MISSING is empty. REASON is why it cannot be used, or
# empty; PACKAGE is its Debian package; WITHOUT says what the build lacks without it.
function(wp_optional name reason package without)
    if(WP_${name}_MISSING OR NOT reason)
        return()
    endif()
    set(option WAVEPASS_${name})
    if(NOT ${option} STREQUAL "AUTO")
        message(FATAL_ERROR "${option}=${${option}}, but ${reason}. Install Debian's ${package}, "
            "or configure with -D${option}=OFF, or AUTO to use what is found.")
    endif()
    message(STATUS "${option}: off, ${reason} (Debian: ${package}); ${without}")
    set(WP_${name}_MISSING "${reason}" PARENT_SCOPE)
endfunction()

# wp_optional_module(NAME PREFIX MODULE PACKAGE WITHOUT): wp_optional() for a pkg-config module,
# which becomes the target PkgConfig::PREFIX.
macro(wp_optional_module name prefix module package without)
    if(NOT PKG_CONFIG_FOUND)
        wp_optional(${name} "pkg-config was not found" pkg-config "${without}")
    elseif(NOT WP_${name}_MISSING)
        pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
        if(NOT ${prefix}_FOUND)
            wp_optional(${name} "${module} was not found" ${package} "${without}")
        endif()
    endif()
endmacro()
