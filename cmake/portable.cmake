# COPPICE_PORTABLE: programs that need of a machine only glibc (of Debian 12 or
# later), libsqlite3.so.0 and libcurl.so.4; all else is linked statically.
# scripts/check_portable.py holds them to it.
option(COPPICE_PORTABLE "link all but glibc, libsqlite3 and libcurl statically")

set(ZSTD zstd::libzstd_shared)
if(COPPICE_PORTABLE)
  set(Boost_USE_STATIC_LIBS ON)
  set(OPENSSL_USE_STATIC_LIBS ON)
  set(ZSTD zstd::libzstd_static)
  # Hidden, or the machine's libcurl would call our OpenSSL for its own.
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
  # What Debian hardens its programs with.
  add_compile_options(-fstack-protector-strong)
  add_compile_definitions(_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro,-z,now)
endif()
