# wp_layer(NAME SOURCES file... [FOLDERS folder...] [USES layer...] [LINK library...] [OUTSIDE])
#
# Adds an object library for a layer. USES lists all layers whose headers and symbols it uses;
# tests/layers.py rejects others. FOLDERS lists folders of its own, for headers. LINK lists libraries
# that users of its objects must link.
# libwavepass consists of all layers except those that are OUTSIDE, which belong to the program.

set(WP_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    -Wmissing-prototypes -Wvla)
if(WAVEPASS_WERROR)
    list(APPEND WP_WARNINGS -Werror)
endif()
set(WP_SANITIZE_FLAGS)
if(WAVEPASS_SANITIZE)
    set(WP_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined
        -fno-omit-frame-pointer)
endif()
if(WAVEPASS_FUZZ)
    # Coverage for libFuzzer; tests/fuzz links its main().
    list(APPEND WP_SANITIZE_FLAGS -fsanitize=fuzzer-no-link)
endif()

function(wp_target_flags target)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:C>:${WP_WARNINGS}> ${WP_SANITIZE_FLAGS})
    target_link_options(${target} PUBLIC ${WP_SANITIZE_FLAGS})
endfunction()

function(wp_layer name)
    cmake_parse_arguments(L "OUTSIDE" "" "SOURCES;FOLDERS;USES;LINK" ${ARGN})
    add_library(wp_${name} OBJECT ${L_SOURCES})
    list(TRANSFORM L_FOLDERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE folders)
    target_include_directories(wp_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${folders})
    list(TRANSFORM L_USES PREPEND wp_ OUTPUT_VARIABLE used)
    target_link_libraries(wp_${name} PUBLIC ${used} PRIVATE ${L_LINK})
    wp_target_flags(wp_${name})
    set_property(GLOBAL APPEND PROPERTY WP_LAYERS ${name})
    set_target_properties(wp_${name} PROPERTIES
        WP_USES "${L_USES}" WP_LINK "${L_LINK}" WP_OUTSIDE ${L_OUTSIDE})
    wp_add_to_layer(${name} wp_${name})
endfunction()

# wp_add_to_layer(LAYER TARGET): adds the objects of TARGET to the layer.
function(wp_add_to_layer layer target)
    # The web page has no library, and position-independent code would be larger.
    set(movable ON)
    if(WP_PAGE)
        set(movable OFF)
    endif()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ${movable}
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden)
    set_property(TARGET wp_${layer} APPEND PROPERTY WP_TARGETS ${target})
endfunction()

# wp_get_layers(PROPERTY RESULT [INSIDE]): gets the object targets (WP_TARGETS) or the required
# libraries (WP_LINK) of all layers, or of the layers of libwavepass.
function(wp_get_layers property result)
    set(all)
    get_property(layers GLOBAL PROPERTY WP_LAYERS)
    foreach(layer ${layers})
        get_property(outside TARGET wp_${layer} PROPERTY WP_OUTSIDE)
        if(NOT (outside AND "INSIDE" IN_LIST ARGN))
            get_property(values TARGET wp_${layer} PROPERTY ${property})
            list(APPEND all ${values})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES all)
    set(${result} ${all} PARENT_SCOPE)
endfunction()

# wp_objects_of(RESULT TARGET...): gets the generator expressions of the targets' objects.
function(wp_objects_of result)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
    set(${result} ${objects} PARENT_SCOPE)
endfunction()

# wp_write_layers(): writes the layers as JSON for tests/layers.py and scripts/architecture.py. Each
# configuration has its own objects.
get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
set(WP_LAYERS_DIRECTORY ${PROJECT_BINARY_DIR}$<$<BOOL:${multi}>:/$<CONFIG>>)
function(wp_write_layers)
    set(rows)
    get_property(layers GLOBAL PROPERTY WP_LAYERS)
    foreach(layer ${layers})
        foreach(property SOURCE_DIR WP_USES WP_TARGETS WP_OUTSIDE)
            get_property(${property} TARGET wp_${layer} PROPERTY ${property})
        endforeach()
        file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${SOURCE_DIR})
        list(TRANSFORM WP_USES REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE uses)
        list(JOIN uses ", " uses)
        wp_objects_of(objects ${WP_TARGETS})
        string(TOLOWER ${WP_OUTSIDE} outside)
        list(APPEND rows "{\"name\": \"${layer}\", \"folder\": \"${folder}\",
  \"outside\": ${outside},
  \"uses\": [${uses}],
  \"objects\": [\"$<JOIN:${objects},\",\n    \">\"]}")
    endforeach()
    list(JOIN rows ",\n" rows)
    file(GENERATE OUTPUT ${WP_LAYERS_DIRECTORY}/layers.json CONTENT "[${rows}]\n")
endfunction()
