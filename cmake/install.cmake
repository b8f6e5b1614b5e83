# What `cmake --install` lays down: the command, the shared library with its one header, and what
# pkg-config and find_package(planish) read. tests/install_test.sh uses all of it.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS planish_command RUNTIME)
install(TARGETS planish EXPORT planish-targets LIBRARY)
install(FILES include/planish/planish.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/planish)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The file finds its prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH PLANISH_PREFIX_FROM_PC
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/planish.pc.in planish.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/planish.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/planish)
# The targets file is the whole configuration: the library brings its dependencies inside or by its
# own soname, so there is nothing to find first.
install(EXPORT planish-targets NAMESPACE planish:: FILE planish-config.cmake DESTINATION ${package})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(planish-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/planish-config-version.cmake DESTINATION ${package})
