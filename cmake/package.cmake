# Installs the files of the program, and configures the tarball: `cpack` in the build directory.

# The program contains the font, so its license is installed.
find_file(WAVEPASS_FONT_LICENSE NAMES copyright LICENSE
    PATHS /usr/share/doc/fonts-dejavu-core /usr/share/licenses/dejavu-sans-fonts
        /usr/share/licenses/ttf-dejavu
    NO_DEFAULT_PATH REQUIRED DOC "License of the embedded font")
install(FILES ${WAVEPASS_FONT_LICENSE} DESTINATION ${CMAKE_INSTALL_DOCDIR}
    RENAME DejaVuSans-license.txt)

# The web page, if the target `web` was built. (OPTIONAL would leave an empty folder.)
install(CODE "set(page \"${PROJECT_BINARY_DIR}/web/dist/index.html\")
if(EXISTS \"\${page}\")
    file(INSTALL \"\${page}\"
        DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/wavepass/web\")
endif()")

if(NOT WP_VIEWER_MISSING)
    find_file(WAVEPASS_IMGUI_LICENSE NAMES copyright LICENSE
        PATHS /usr/share/doc/libimgui-dev /usr/share/licenses/imgui
        NO_DEFAULT_PATH DOC "License of Dear ImGui, which the program contains")
    if(WAVEPASS_IMGUI_LICENSE)
        install(FILES ${WAVEPASS_IMGUI_LICENSE} DESTINATION ${CMAKE_INSTALL_DOCDIR}
            RENAME imgui-license.txt)
    endif()
endif()

# The tarball has the shared libraries in a separate directory, where other programs do not find
# them if it is unpacked into /usr/local. DT_RPATH, unlike DT_RUNPATH, also applies to the
# dependencies of these libraries.
set(WP_BUNDLE_DIR ${CMAKE_INSTALL_LIBDIR}/wavepass)
file(RELATIVE_PATH from_program /${CMAKE_INSTALL_BINDIR} /${WP_BUNDLE_DIR})
# Link with this path: otherwise CMake reserves space in the build tree's path with colons, and the
# loader interprets an empty name as the current directory.
set_target_properties(wavepass PROPERTIES INSTALL_RPATH "$ORIGIN/${from_program}"
    BUILD_WITH_INSTALL_RPATH ON)
target_link_options(wavepass PRIVATE LINKER:--disable-new-dtags)
# Remove the path if the program is installed without the libraries.
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
