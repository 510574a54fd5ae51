import type { Allowance } from './judge-audit.ts'

/** Vulnerabilities of packages in use that do not concern this product. */
export const allowances: readonly Allowance[] = []
