/* SPDX-License-Identifier: MIT */
/* perf's union perf_mem_data_src: the source of an access's data; perf_event_open(2),
 * PERF_SAMPLE_DATA_SRC. Constants only. */
#ifndef PMU_X86_PERF_MEM_H
#define PMU_X86_PERF_MEM_H

#define MEM_OP_NA      (0x01ULL << 0)
#define MEM_OP_LOAD    (0x02ULL << 0)
#define MEM_OP_STORE   (0x04ULL << 0)
#define MEM_LVL(bits)  ((uint64_t)(bits) << 5)
#define MEM_NUM(level) ((uint64_t)(level) << 33)
#define MEM_SNOOP(bit) ((uint64_t)(bit) << 19)
#define MEM_REMOTE     (1ULL << 37)
#define MEM_HOPS(n)    ((uint64_t)(n) << 43)
#define MEM_LOCKED     (2ULL << 24)
#define MEM_LOCK_NA    (1ULL << 24)
#define MEM_TLB(bits)  ((uint64_t)(bits) << 26)

enum { LVL_NA = 1, LVL_HIT = 2, LVL_MISS = 4, LVL_L1 = 8, LVL_LFB = 0x10, LVL_L2 = 0x20 };
enum { LVL_L3 = 0x40, LVL_RAM = 0x80, LVL_REMOTE_RAM = 0x100, LVL_REMOTE_CACHE = 0x400 };
enum { LVL_FAR_CACHE = 0x800, LVL_IO = 0x1000, LVL_UNCACHED = 0x2000 };
enum { NUM_L1 = 1, NUM_L2 = 2, NUM_L3 = 3, NUM_UNCACHED = 8, NUM_CXL = 9, NUM_IO = 0xa };
enum { NUM_ANY = 0xb, NUM_LFB = 0xc, NUM_RAM = 0xd, NUM_PMEM = 0xe, NUM_NA = 0xf };
enum { SNOOP_NA = 1, SNOOP_NONE = 2, SNOOP_HIT = 4, SNOOP_MISS = 8, SNOOP_HITM = 0x10 };
enum { TLB_NA = 1, TLB_HIT = 2, TLB_MISS = 4, TLB_L1 = 8, TLB_L2 = 0x10 };

#endif
