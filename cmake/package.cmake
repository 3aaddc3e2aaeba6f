# Installs what belongs to the program, and makes the tarball: `cpack` in the build directory.

# The program carries the font, so its licence goes with it.
find_file(WAVEPASS_FONT_LICENSE NAMES copyright LICENSE
    PATHS /usr/share/doc/fonts-dejavu-core /usr/share/licenses/dejavu-sans-fonts
        /usr/share/licenses/ttf-dejavu
    NO_DEFAULT_PATH REQUIRED DOC "Licence of the embedded font")
install(FILES ${WAVEPASS_FONT_LICENSE} DESTINATION ${CMAKE_INSTALL_DOCDIR}
    RENAME DejaVuSans-license.txt)

# The page for browsers, where the target `web` was built.
# (OPTIONAL would leave an empty folder.)
install(CODE "set(page \"${PROJECT_BINARY_DIR}/web/dist/index.html\")
if(EXISTS \"\${page}\")
    file(INSTALL \"\${page}\"
        DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/wavepass/web\")
endif()")

if(NOT WP_VIEWER_MISSING)
    find_file(WAVEPASS_IMGUI_LICENSE NAMES copyright LICENSE
        PATHS /usr/share/doc/libimgui-dev /usr/share/licenses/imgui
        NO_DEFAULT_PATH DOC "Licence of Dear ImGui, which the program contains")
    if(WAVEPASS_IMGUI_LICENSE)
        install(FILES ${WAVEPASS_IMGUI_LICENSE} DESTINATION ${CMAKE_INSTALL_DOCDIR}
            RENAME imgui-license.txt)
    endif()
endif()

# The tarball has the shared libraries in a directory of its own, where they serve no other
# program should someone unpack it into /usr/local. An old DT_RPATH, unlike DT_RUNPATH, holds
# for the libraries of these libraries too.
set(WP_BUNDLE_DIR ${CMAKE_INSTALL_LIBDIR}/wavepass)
file(RELATIVE_PATH from_program /${CMAKE_INSTALL_BINDIR} /${WP_BUNDLE_DIR})
# The program is linked with it: CMake would else fill its place in the build tree up with colons,
# and the loader takes an empty name for the current directory.
set_target_properties(wavepass PROPERTIES INSTALL_RPATH "$ORIGIN/${from_program}"
    BUILD_WITH_INSTALL_RPATH ON)
target_link_options(wavepass PRIVATE LINKER:--disable-new-dtags)
# Where it is installed without them, it looks for no libraries of its own.
install(CODE "
    if(NOT CMAKE_INSTALL_PREFIX MATCHES \"/_CPack_Packages/\")
        file(RPATH_REMOVE
            FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/wavepass\")
    endif()")

string(TOLOWER "${CMAKE_SYSTEM_NAME}" system)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME
    wavepass-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
configure_file(${CMAKE_CURRENT_LIST_DIR}/bundle.cmake.in bundle.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/bundle.cmake)
include(CPack)
