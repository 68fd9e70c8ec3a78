#include <cuda_fp16.h>
#include <cuda_bf16.h>
#if __CUDA_ARCH__ >= 890
#include <cuda_fp8.h>
#endif
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void n_float(float* p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float x = p[i];
        x = sinf(x) + cosf(x) * expf(x) - logf(x) / sqrtf(x) + rsqrtf(x) + tanhf(x) + powf(x, 1.7f) + fmodf(x, 3.f);
        x += erff(x) + tgammaf(x) + fminf(x, 2.f) + fmaxf(x, 1.f) + __sinf(x) + __expf(x) + fabsf(x) + floorf(x) + rintf(x);
        x += __int_as_float(__float_as_int(x) ^ 0x55) + __fdividef(x, 3.f) + __fmul_rz(x, x) + __saturatef(x);
        p[i] = isnan(x) ? 0 : x;
    }
}
extern "C" __global__ void n_double(double* p, long long* q, float* f) {
    double x = p[threadIdx.x];
    x = sin(x) * x + exp(x) / log(x) + sqrt(x) + fma(x, x, 3.0) + fmin(x, 1.0) + pow(x, 0.3);
    q[threadIdx.x] = (long long)x; f[threadIdx.x] = (float)x; p[threadIdx.x] = x + (double)q[threadIdx.x * 2];
}
extern "C" __global__ void n_int(int* p, unsigned long long* q, const int* __restrict__ r) {
    int a = p[threadIdx.x], b = r[threadIdx.x]; unsigned u = a;
    long long l = q[threadIdx.x];
    a = a * b + a / (b | 1) + a % (b | 1) + __popc(a) + __clz(b) + __ffs(a) + __brev(b) + __mulhi(a, b) + __sad(a, b, u) + __byte_perm(a, b, u);
    a += __funnelshift_l(a, b, u) + __dp4a(a, b, a) + __dp2a_lo(a, b, a) + min(a, b) + max(a, b) + abs(a) + (a << (b & 31)) + (u >> (b & 31)) + __vadd4(a, b) + __vabsdiffu4(a, b) + __vmaxs2(a,b) + __vsetltu4(a,b);
    l = l * a + l / (a | 1) + __mul64hi(l, l) + __clzll(l) + __popcll(l);
    if (a == 7) asm volatile("bfe.u32 %0,%1,3,5; bfi.b32 %0,%0,%1,2,3; lop3.b32 %0,%0,%1,%0,0x96;" : "+r"(u) : "r"(b));
    p[threadIdx.x] = a + u; q[threadIdx.x] = l;
}
extern "C" __global__ void n_half(__half2* p, __nv_bfloat162* q) {
    __half2 x = p[threadIdx.x]; __nv_bfloat162 y = q[threadIdx.x];
    x = __hfma2(x, x, __hadd2(x, __hmul2(x, x))); x = h2rsqrt(x); x = __hmax2(x, p[5]); 
#if __CUDA_ARCH__ >= 800
    y = __hfma2(y, y, __hadd2(y, y)); y = __hmax2(y, __hneg2(y));
#endif
    float f = __half2float(x.x) + __bfloat162float(y.x);
    p[threadIdx.x] = __hgt2(x, p[1]); q[threadIdx.x] = __float2bfloat162_rn(f);
}
extern "C" __global__ void n_atomic(int* p, float* f, double* d, unsigned long long* q, __half2* h) {
    atomicAdd(p, 1); atomicAdd(f, 1.f); atomicAdd(d, 1.); atomicCAS(p + 1, 2, 3); atomicExch(q, 5ull); atomicMax(p + 2, 3); atomicAdd(h, h[1]);
    atomicOr(p + 3, 5); atomicInc((unsigned*)p + 4, 7); p[9] = atomicAdd(p + 8, 3); q[9] = atomicCAS(q + 8, 1ull, 2ull); f[3] = atomicExch(f + 2, 3.f);
    __shared__ int s[32]; __shared__ float sf[32]; s[threadIdx.x & 31] = 0; sf[threadIdx.x & 31] = 0; __syncthreads();
    atomicAdd(s + (threadIdx.x & 7), 3); atomicAdd(sf + (threadIdx.x & 7), 3.f); atomicCAS(s, 1, 2); __syncthreads(); p[20] = s[3]; f[20] = sf[4];
    __threadfence(); __threadfence_system(); __threadfence_block();
}
extern "C" __global__ void n_warp(int* p, float* f) {
    int a = p[threadIdx.x]; unsigned m = __activemask();
    a += __shfl_sync(m, a, 3) + __shfl_xor_sync(m, a, 1) + __ballot_sync(m, a > 3) + __any_sync(m, a) + __match_any_sync(m, a);
    int pr; a += __match_all_sync(m, a, &pr) + pr;
#if __CUDA_ARCH__ >= 800
    a += __reduce_add_sync(m, a) + __reduce_min_sync(m, a) + __reduce_or_sync(m, (unsigned)a);
#endif
    __syncwarp(); __nanosleep(5); p[threadIdx.x] = a + clock() + (int)clock64() + __syncthreads_count(a) + __syncthreads_or(a);
    asm volatile("bar.sync 3, 64; bar.arrive 4, 64;");
    if (a == 5) asm volatile("trap;"); if (a == 6) asm volatile("brkpt;"); if (a == 8) asm volatile("exit;");
    unsigned sm; asm volatile("mov.u32 %0,%%smid;" : "=r"(sm)); unsigned long long g; asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(g)); p[99] = sm + (int)g;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
extern "C" __global__ void n_tex(cudaTextureObject_t t, cudaSurfaceObject_t s, float4* o, cudaTextureObject_t t3) {
    float4 a = tex2D<float4>(t, threadIdx.x, 3.f); float4 b = tex3D<float4>(t3, 1.f, threadIdx.x, 2.f); float4 c = tex2DLod<float4>(t, 1.f, 2.f, 3.f);
    float4 g = tex2Dgather<float4>(t, 1.f, 2.f, 1); float4 e = tex1Dfetch<float4>(t, threadIdx.x);
    o[0] = a; o[1] = b; o[2] = c; o[3] = g; o[4] = e; float4 z; surf2Dread(&z, s, 0, threadIdx.x); surf2Dwrite(z, s, 16, 3); o[5] = z;
}
__device__ __noinline__ int called(int x) { return x < 3 ? x : called(x - 1) + called(x - 2); }
__device__ int (*table[2])(int) = {called, called};
extern "C" __global__ void n_call(int* p) {
    int stack[64]; for (int i = 0; i < 64; ++i) stack[i] = p[i];
    int a = called(p[0]) + table[p[1] & 1](p[2]) + stack[p[3] & 63];
    switch (p[4]) { case 0: a += 3; break; case 1: a *= 5; break; case 2: a = ~a; break; case 3: a = called(7); break; case 4: a ^= p[9]; break; case 5: a -= 77; break; case 6: a /= 7; break; }
    printf("%d\n", a); if (a == 3) assert(0); p[0] = a; int* h = (int*)malloc(a); h[0] = 3; free(h);
}
extern "C" __global__ void n_shared(int4* p, const int4* __restrict__ q) {
    extern __shared__ int4 s[]; s[threadIdx.x] = __ldg(q + threadIdx.x); __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(s); int a = 0, b = 0, c = 0, d = 0;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%0;" : "+r"(a));
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0],[%1],16; cp.async.commit_group; cp.async.wait_group 0;" ::"r"(at), "l"(q));
    asm volatile("{.reg .b64 s; mbarrier.init.shared.b64 [%0],3; mbarrier.arrive.shared.b64 s,[%0]; cp.async.mbarrier.arrive.shared.b64 [%0];}" ::"r"(at));
#endif
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%2,%3,%4};" ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1,{%2,%3}],[%4];" ::"r"(at), "l"(q), "r"(a), "r"(b), "r"(at + 64));
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0,{%1,%2}],[%3]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(q), "r"(a), "r"(b), "r"(at));
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0],[%1],64;" ::"l"(p), "r"(at));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],128,[%2];" ::"r"(at), "l"(q), "r"(at + 64));
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0,{%1,%2}]; prefetch.tensormap [%0];" ::"l"(q), "r"(a), "r"(b));
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; fence.proxy.async; fence.mbarrier_init.release.cluster;");
    asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; @p mbarrier.arrive.expect_tx.shared.b64 _,[%0],64; mbarrier.try_wait.shared.b64 p,[%0],%1;}" ::"r"(at), "l"(3ull));
    unsigned far; asm volatile("mapa.shared::cluster.u32 %0,%1,1; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%2,[%0];" : "=r"(far) : "r"(at), "r"(a));
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0],%1,[%0];" ::"r"(far), "r"(a));
#endif
    __syncthreads(); p[threadIdx.x] = make_int4(a, b, c, d); p[threadIdx.x + 99] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void __launch_bounds__(128) n_plain_gemm(const float* a, const float* b, float* c, int n) {
    __shared__ float sa[16][16], sb[16][16]; float sum = 0; int x = threadIdx.x & 15, y = threadIdx.x / 16;
    for (int k = 0; k < n; k += 16) { sa[y][x] = a[y * n + k + x]; sb[y][x] = b[(k + y) * n + x]; __syncthreads(); for (int i = 0; i < 16; ++i) sum += sa[y][i] * sb[i][x]; __syncthreads(); }
    c[y * n + x] = sum;
}
#if __CUDA_ARCH__ >= 890
extern "C" __global__ void n_fp8(const float2* f, unsigned short* o, __half2* h) {
    unsigned short r; asm("cvt.rn.satfinite.e4m3x2.f32 %0,%1,%2;" : "=h"(r) : "f"(f->x), "f"(f->y)); *o = r;
    unsigned u; asm("cvt.rn.f16x2.e5m2x2 %0,%1;" : "=r"(u) : "h"(r)); *(unsigned*)h = u;
}
#endif
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) n_cluster(int* p) {
    __shared__ int s[64]; auto c = cg::this_cluster(); s[threadIdx.x & 63] = p[threadIdx.x]; c.sync(); p[0] = *c.map_shared_rank(s, 1) + c.block_rank(); c.sync();
    asm volatile("setmaxnreg.inc.sync.aligned.u32 40;");
}
#endif
extern "C" __global__ void n_coop(int* p) { auto g = cg::this_grid(); p[threadIdx.x] += 1; g.sync(); p[threadIdx.x] += p[0]; }
