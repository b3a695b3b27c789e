// Copies 16 bytes to shared memory, later: `bytes` of them, then zeros.
template <typename T>
__device__ void CopyPiece(T* to, const T* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
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

// Four 8 x 8 matrices; each lane names one of their 32 rows.
template <bool TRANSPOSED, typename T>
__device__ void LoadMatrices(unsigned (&r)[4], const T* row) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if (TRANSPOSED) {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(at)
        : "memory");
  } else {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(at)
        : "memory");
  }
}
