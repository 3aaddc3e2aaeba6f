# Optional dependencies, all by one rule. The option WAVEPASS_NAME is
#
#   AUTO  use the dependency where it is found; else a line of the output says what is left out
#   ON    require it: it is an error where it is not found
#   OFF   leave it out
#
# WP_NAME_MISSING is why it is left out, or empty where it is used.

# wp_option(NAME DEFAULT DESCRIPTION [VALUE...]): declares the option. A further VALUE requires the
# dependency as ON does.
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

# wp_optional(NAME REASON PACKAGE WITHOUT): decides about an option after its caller has looked for
# the dependency, which callers do only where WP_NAME_MISSING is empty. REASON is why it cannot be
# used, empty where it can; PACKAGE is Debian's that has it; WITHOUT is what a build lacks then.
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

# wp_optional_module(NAME PREFIX MODULE PACKAGE WITHOUT): the same for a module of pkg-config, which
# becomes the target PkgConfig::PREFIX.
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
