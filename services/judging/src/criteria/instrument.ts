import { createHash } from 'node:crypto'

/** Hash of a judge's prompt, in hex: two calibrations with the same one measured the same words. */
export function promptSha256(judgePrompt: string): string {
  return createHash('sha256').update(judgePrompt).digest('hex')
}
