// Copies 16 bytes to shared memory, later: `bytes` of them, then zeros.
template <typename T>
__device__ void CopyPiece(T* to, const T* from, int bytes) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(bytes)
               : "memory");
}

// What this thread has copied since the last call is a group.
__device__ void CommitCopies() {
  asm volatile("cp.async.commit_group;" : : : "memory");
}

// Until no more than this many of its groups are under way.
template <int GROUPS>
__device__ void WaitForCopies() {
  asm volatile("cp.async.wait_group %0;" : : "n"(GROUPS) : "memory");
}

// Loads 32 bytes, if they are wanted.
template <typename T>
__device__ void LoadPieces(unsigned (&w)[8], const T* from, bool wanted) {
#pragma unroll
  for (int e = 0; e < 8; ++e) w[e] = 0;
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.s32 p, %9, 0;\n"
      "@p ld.global.L2::128B.v4.u32 {%0,%1,%2,%3}, [%8];\n"
      "@p ld.global.L2::128B.v4.u32 {%4,%5,%6,%7}, [%8 + 16];\n}"
      : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]), "+r"(w[4]), "+r"(w[5]),
        "+r"(w[6]), "+r"(w[7])
      : "l"(from), "r"(static_cast<int>(wanted))
      : "memory");
}
