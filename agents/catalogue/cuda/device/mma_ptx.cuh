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
