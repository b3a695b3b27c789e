# COPPICE_GLIBC: programs that run with an older glibc than this machine's.
#
# The folder holds what such a glibc shows to a linker: libc.so.6, libm.so.6,
# libpthread.so.0, libdl.so.2, librt.so.1, libc_nonshared.a and Scrt1.o, which
# scripts/wheel makes.  glibc keeps every symbol of before, so against these the
# same objects get those of then.  What is in none of them is in glibc_floor.c.
# Sources are compiled with this machine's headers, as always.
set(COPPICE_GLIBC "" CACHE PATH "a folder with an older glibc to link with")
if(COPPICE_GLIBC STREQUAL "")
  return()
endif()

foreach(part crti.o crtn.o crtbeginS.o crtendS.o libstdc++.a libgcc_eh.a
        libgcc.a)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${part}
                  OUTPUT_VARIABLE ${part} OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(floor ${PROJECT_BINARY_DIR}/glibc_floor.o)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -x c -O2 -fPIC -Wall -Werror -c
                        ${CMAKE_CURRENT_LIST_DIR}/glibc_floor.c -o ${floor}
                COMMAND_ERROR_IS_FATAL ANY)

# lld reads archives in any order.
set(link "<CMAKE_CXX_COMPILER> -nostdlib -nostartfiles")
set(first "${crti.o} ${crtbeginS.o} <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(last "${floor} ${libstdc++.a} ${libgcc_eh.a} ${libgcc.a}")
foreach(library libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1
        libc_nonshared.a)
  string(APPEND last " ${COPPICE_GLIBC}/${library}")
endforeach()
string(APPEND last " ${crtendS.o} ${crtn.o}")
set(as_needed "-L${COPPICE_GLIBC} -Wl,--as-needed")
set(CMAKE_CXX_LINK_EXECUTABLE
    "${link} -pie <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> ${as_needed} -Wl,--dynamic-linker=/lib64/ld-linux-x86-64.so.2 ${COPPICE_GLIBC}/Scrt1.o ${first} ${last}")
foreach(kind LIBRARY MODULE)
  set(CMAKE_CXX_CREATE_SHARED_${kind}
      "${link} <CMAKE_SHARED_LIBRARY_CXX_FLAGS> <LANGUAGE_COMPILE_FLAGS> <LINK_FLAGS> -shared ${as_needed} ${first} ${last}")
endforeach()
