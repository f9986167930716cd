# find_package(Clift): the target Clift::Clift, the driver's library, linked in place of an OpenCL loader. The headers,
# CL/cl.h, are those of Khronos; their folder is CLIFT_HEADERS if they are nowhere near.
get_filename_component(_clift_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
if(NOT TARGET Clift::Clift)
    add_library(Clift::Clift SHARED IMPORTED)
    set_target_properties(Clift::Clift PROPERTIES
        IMPORTED_LOCATION "${_clift_lib}/libclift.so"
        IMPORTED_SONAME libclift.so)
    find_path(CLIFT_HEADERS CL/cl.h)
    if(CLIFT_HEADERS)
        set_target_properties(Clift::Clift PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CLIFT_HEADERS}")
    endif()
endif()
unset(_clift_lib)
