import { createHash } from 'node:crypto'
import type { StoredCriterion } from './criterion.ts'

/** Hash of a judge's prompt, in hex; with checks, of both. */
export function promptSha256(judgePrompt: string, checks: StoredCriterion['checks'] = null): string {
  const hash = createHash('sha256').update(judgePrompt)
  // NUL occurs in no prompt.
  return (checks === null ? hash : hash.update('\0').update(JSON.stringify(checks))).digest('hex')
}
