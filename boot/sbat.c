/* SPDX-License-Identifier: MIT */
/*
 * SBAT, the PE section that shim asks for: a line for each component, with the generation
 * below which a revocation refuses it, whoever signed it (shim, SBAT.md). The lines end
 * without a NUL, as the section's VirtualSize does.
 *
 *	component,generation,vendor,package,version,URL
 */
#define SBAT                                                                            \
	"sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n" \
	"bareperf,1,bareperf,bareperf," BAREPERF_VERSION ",docs/secure-boot.md\n"

__attribute__((section(".sbat"), used)) static const char boot_sbat[sizeof(SBAT) - 1] = SBAT;
