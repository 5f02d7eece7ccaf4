/* SPDX-License-Identifier: MIT */
/*
 * The functions of QEMU's plugin interface that the plugin uses (QEMU's documentation, "QEMU TCG
 * Plugins", API). Debian packages no header of them, neither with QEMU 7.2 nor with 10.0, so these
 * are declarations of our own. They are weak: one plugin serves every version, and asks by its
 * address whether a function exists.
 *
 *	version 1	QEMU 4.2 to 8.1
 *	version 2	QEMU 8.2: counters for each vCPU; 9.0: registers
 *	version 4	QEMU 9.2: memory by virtual address
 */
#ifndef PLUGIN_QEMU_API_H
#define PLUGIN_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_WEAK __attribute__((weak))

typedef uint64_t qemu_plugin_id_t;

/* The machine, as qemu_plugin_install() gets it. */
struct qemu_info {
	const char *target_name; /* "x86_64", "aarch64" */
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;
struct qemu_plugin_register;

/* A 64-bit word for each vCPU. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

typedef struct {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
} qemu_plugin_reg_descriptor;

enum { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
enum { QEMU_PLUGIN_MEM_RW = 3 };
enum { QEMU_PLUGIN_INLINE_ADD_U64 };
enum { QEMU_PLUGIN_COND_GE = 7 };

typedef void (*qemu_plugin_vcpu_cb)(qemu_plugin_id_t id, unsigned vcpu);
typedef void (*qemu_plugin_udata_cb)(qemu_plugin_id_t id, void *data);
typedef void (*qemu_plugin_simple_cb)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_exec_cb)(unsigned vcpu, void *data);
/* After the access, of which info tells more. address: the virtual one. */
typedef void (*qemu_plugin_mem_cb)(unsigned vcpu, uint32_t info, uint64_t address, void *data);

/* ---- Every version ---- */

QEMU_WEAK void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_cb cb);
QEMU_WEAK void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb cb);
QEMU_WEAK void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
                                                    qemu_plugin_exec_cb cb, int flags, void *data);
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                                      qemu_plugin_exec_cb cb, int flags,
                                                      void *data);
QEMU_WEAK void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                                qemu_plugin_mem_cb cb, int flags, int accesses,
                                                void *data);
QEMU_WEAK bool qemu_plugin_mem_is_store(uint32_t info);
QEMU_WEAK void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple_cb cb);
QEMU_WEAK void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb cb,
                                              void *data);
QEMU_WEAK size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
QEMU_WEAK uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
QEMU_WEAK struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
                                                           size_t index);
QEMU_WEAK uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
QEMU_WEAK size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

/* ---- Version 1 only: one word, which all vCPUs share ---- */

QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op,
                                                          void *word, uint64_t value);

/* ---- From version 2 on ---- */

QEMU_WEAK struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
QEMU_WEAK uint64_t qemu_plugin_u64_get(qemu_plugin_u64 word, unsigned vcpu);
QEMU_WEAK void qemu_plugin_u64_set(qemu_plugin_u64 word, unsigned vcpu, uint64_t value);
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
                                                                   int op, qemu_plugin_u64 word,
                                                                   uint64_t value);
QEMU_WEAK void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
                                                         qemu_plugin_exec_cb cb, int flags,
                                                         int condition, qemu_plugin_u64 word,
                                                         uint64_t value, void *data);

/* GLib's arrays: their public members, of a GArray (len in entries) and of a GByteArray (in bytes).
 */
struct glib_array {
	char *data;
	unsigned len;
};
QEMU_WEAK struct glib_array *g_byte_array_new(void);
QEMU_WEAK struct glib_array *g_byte_array_set_size(struct glib_array *array, unsigned length);
QEMU_WEAK char *g_array_free(struct glib_array *array, int free_segment);

/* Of qemu_plugin_reg_descriptor; the caller frees it. In the vCPU's thread. */
QEMU_WEAK struct glib_array *qemu_plugin_get_registers(void);
/* Appends the value; returns its size, or 0 or -1. In the vCPU's thread. */
QEMU_WEAK int qemu_plugin_read_register(struct qemu_plugin_register *handle,
                                        struct glib_array *value);

/* ---- From version 4 on (of version 3, the second form of qemu_plugin_insn_data()) ---- */

QEMU_WEAK size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
QEMU_WEAK bool qemu_plugin_read_memory_vaddr(uint64_t address, struct glib_array *bytes,
                                             size_t size);

#endif
