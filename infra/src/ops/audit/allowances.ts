import type { Allowance } from './judge-audit.ts'

/** Vulnerabilities of used packages that cannot be exploited in this product. */
export const allowances: readonly Allowance[] = []
