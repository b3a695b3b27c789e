// Makes what this thread has put into shared memory known to the cores.
__device__ void ShowCopies() {
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

__device__ void BeginProducts() {
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

// The products since the last call are a group.
__device__ void CommitProducts() {
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

// Until no more than this many groups are under way.
template <int GROUPS>
__device__ void WaitForProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(GROUPS) : "memory");
}

// Nobody reads the sum before here.
__device__ void Settle(float& sum) {
  asm volatile("" : "+f"(sum) : : "memory");
}
