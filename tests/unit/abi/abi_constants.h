/* SPDX-License-Identifier: MIT */
/*
 * perf's ABI as a list of names. Compiled twice, once over abi/perf_event.h and
 * once over the system's <linux/perf_event.h>, it must give the same numbers.
 */
#define FIELD(type, member)                                                            \
	{                                                                              \
#type "." #member, offsetof(type, member), sizeof(((type *)0)->member) \
	}
#define STRUCT(type)                   \
	{                              \
#type, sizeof(type), 0 \
	}
#define VALUE(name)                                  \
	{                                            \
#name, (unsigned long long)(name), 0 \
	}

struct abi_fact {
	const char *name;
	unsigned long long value, size;
};

#define ABI_FACTS                                                                                  \
	FIELD(struct perf_event_attr, type), FIELD(struct perf_event_attr, size),                  \
	    FIELD(struct perf_event_attr, config), FIELD(struct perf_event_attr, sample_period),   \
	    FIELD(struct perf_event_attr, sample_freq),                                            \
	    FIELD(struct perf_event_attr, sample_type),                                            \
	    FIELD(struct perf_event_attr, read_format),                                            \
	    FIELD(struct perf_event_attr, wakeup_events),                                          \
	    FIELD(struct perf_event_attr, wakeup_watermark),                                       \
	    FIELD(struct perf_event_attr, bp_type), FIELD(struct perf_event_attr, config1),        \
	    FIELD(struct perf_event_attr, config2),                                                \
	    FIELD(struct perf_event_attr, branch_sample_type),                                     \
	    FIELD(struct perf_event_attr, sample_regs_user),                                       \
	    FIELD(struct perf_event_attr, sample_stack_user),                                      \
	    FIELD(struct perf_event_attr, clockid),                                                \
	    FIELD(struct perf_event_attr, sample_regs_intr),                                       \
	    FIELD(struct perf_event_attr, aux_watermark),                                          \
	    FIELD(struct perf_event_attr, sample_max_stack),                                       \
	    FIELD(struct perf_event_attr, aux_sample_size),                                        \
	    FIELD(struct perf_event_attr, sig_data), STRUCT(struct perf_event_mmap_page),          \
	    FIELD(struct perf_event_mmap_page, version), FIELD(struct perf_event_mmap_page, lock), \
	    FIELD(struct perf_event_mmap_page, index), FIELD(struct perf_event_mmap_page, offset), \
	    FIELD(struct perf_event_mmap_page, time_enabled),                                      \
	    FIELD(struct perf_event_mmap_page, time_running),                                      \
	    FIELD(struct perf_event_mmap_page, capabilities),                                      \
	    FIELD(struct perf_event_mmap_page, pmc_width),                                         \
	    FIELD(struct perf_event_mmap_page, time_shift),                                        \
	    FIELD(struct perf_event_mmap_page, time_mult),                                         \
	    FIELD(struct perf_event_mmap_page, time_offset),                                       \
	    FIELD(struct perf_event_mmap_page, time_zero),                                         \
	    FIELD(struct perf_event_mmap_page, size),                                              \
	    FIELD(struct perf_event_mmap_page, time_cycles),                                       \
	    FIELD(struct perf_event_mmap_page, time_mask),                                         \
	    FIELD(struct perf_event_mmap_page, data_head),                                         \
	    FIELD(struct perf_event_mmap_page, data_tail),                                         \
	    FIELD(struct perf_event_mmap_page, data_offset),                                       \
	    FIELD(struct perf_event_mmap_page, data_size),                                         \
	    FIELD(struct perf_event_mmap_page, aux_head),                                          \
	    FIELD(struct perf_event_mmap_page, aux_tail),                                          \
	    FIELD(struct perf_event_mmap_page, aux_offset),                                        \
	    FIELD(struct perf_event_mmap_page, aux_size), STRUCT(struct perf_event_header),        \
	    FIELD(struct perf_event_header, type), FIELD(struct perf_event_header, misc),          \
	    FIELD(struct perf_event_header, size), VALUE(PERF_TYPE_HARDWARE),                      \
	    VALUE(PERF_TYPE_SOFTWARE), VALUE(PERF_TYPE_RAW), VALUE(PERF_COUNT_HW_CPU_CYCLES),      \
	    VALUE(PERF_COUNT_HW_INSTRUCTIONS), VALUE(PERF_COUNT_HW_CACHE_REFERENCES),              \
	    VALUE(PERF_COUNT_HW_CACHE_MISSES), VALUE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS),           \
	    VALUE(PERF_COUNT_HW_BRANCH_MISSES), VALUE(PERF_COUNT_HW_BUS_CYCLES),                   \
	    VALUE(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND),                                          \
	    VALUE(PERF_COUNT_HW_STALLED_CYCLES_BACKEND), VALUE(PERF_COUNT_HW_REF_CPU_CYCLES),      \
	    VALUE(PERF_COUNT_SW_CPU_CLOCK), VALUE(PERF_COUNT_SW_DUMMY), VALUE(PERF_SAMPLE_IP),     \
	    VALUE(PERF_SAMPLE_TID), VALUE(PERF_SAMPLE_TIME), VALUE(PERF_SAMPLE_ADDR),              \
	    VALUE(PERF_SAMPLE_READ), VALUE(PERF_SAMPLE_CALLCHAIN), VALUE(PERF_SAMPLE_ID),          \
	    VALUE(PERF_SAMPLE_CPU), VALUE(PERF_SAMPLE_PERIOD), VALUE(PERF_SAMPLE_STREAM_ID),       \
	    VALUE(PERF_SAMPLE_RAW), VALUE(PERF_SAMPLE_BRANCH_STACK), VALUE(PERF_SAMPLE_WEIGHT),    \
	    VALUE(PERF_SAMPLE_DATA_SRC), VALUE(PERF_SAMPLE_IDENTIFIER),                            \
	    VALUE(PERF_SAMPLE_BRANCH_USER), VALUE(PERF_SAMPLE_BRANCH_KERNEL),                      \
	    VALUE(PERF_SAMPLE_BRANCH_HV), VALUE(PERF_SAMPLE_BRANCH_ANY),                           \
	    VALUE(PERF_SAMPLE_BRANCH_ANY_CALL), VALUE(PERF_SAMPLE_BRANCH_ANY_RETURN),              \
	    VALUE(PERF_SAMPLE_BRANCH_IND_CALL), VALUE(PERF_SAMPLE_BRANCH_COND),                    \
	    VALUE(PERF_SAMPLE_BRANCH_CALL_STACK), VALUE(PERF_SAMPLE_BRANCH_IND_JUMP),              \
	    VALUE(PERF_SAMPLE_BRANCH_CALL), VALUE(PERF_SAMPLE_BRANCH_NO_FLAGS),                    \
	    VALUE(PERF_SAMPLE_BRANCH_NO_CYCLES), VALUE(PERF_SAMPLE_BRANCH_TYPE_SAVE),              \
	    VALUE(PERF_SAMPLE_BRANCH_HW_INDEX), VALUE(PERF_BR_UNKNOWN), VALUE(PERF_BR_COND),       \
	    VALUE(PERF_BR_UNCOND), VALUE(PERF_BR_IND), VALUE(PERF_BR_CALL),                        \
	    VALUE(PERF_BR_IND_CALL), VALUE(PERF_BR_RET), VALUE(PERF_BR_SYSCALL),                   \
	    VALUE(PERF_BR_SYSRET), VALUE(PERF_BR_ERET), VALUE(PERF_BR_IRQ),                        \
	    STRUCT(struct perf_branch_entry), FIELD(struct perf_branch_entry, from),               \
	    FIELD(struct perf_branch_entry, to), VALUE(PERF_FORMAT_TOTAL_TIME_ENABLED),            \
	    VALUE(PERF_FORMAT_TOTAL_TIME_RUNNING), VALUE(PERF_FORMAT_ID),                          \
	    VALUE(PERF_FORMAT_GROUP), VALUE(PERF_FORMAT_LOST), VALUE(PERF_ATTR_SIZE_VER7),         \
	    VALUE(PERF_RECORD_MMAP), VALUE(PERF_RECORD_LOST), VALUE(PERF_RECORD_COMM),             \
	    VALUE(PERF_RECORD_EXIT), VALUE(PERF_RECORD_THROTTLE), VALUE(PERF_RECORD_UNTHROTTLE),   \
	    VALUE(PERF_RECORD_FORK), VALUE(PERF_RECORD_READ), VALUE(PERF_RECORD_SAMPLE),           \
	    VALUE(PERF_RECORD_MMAP2), VALUE(PERF_RECORD_AUX), VALUE(PERF_RECORD_ITRACE_START),     \
	    VALUE(PERF_RECORD_LOST_SAMPLES), VALUE(PERF_RECORD_MISC_CPUMODE_MASK),                 \
	    VALUE(PERF_RECORD_MISC_KERNEL), VALUE(PERF_RECORD_MISC_USER),                          \
	    VALUE(PERF_RECORD_MISC_EXACT_IP), VALUE(PERF_AUX_FLAG_TRUNCATED),                      \
	    VALUE(PERF_AUX_FLAG_OVERWRITE), VALUE(PERF_AUX_FLAG_PARTIAL),                          \
	    VALUE(PERF_AUX_FLAG_COLLISION), VALUE(PERF_CONTEXT_KERNEL), VALUE(PERF_CONTEXT_USER),  \
	    VALUE(PERF_CONTEXT_MAX)

extern const struct abi_fact linux_facts[];
