import { createHash } from 'node:crypto'

/** Hash of a judge's prompt, in hex. */
export function promptSha256(judgePrompt: string): string {
  return createHash('sha256').update(judgePrompt).digest('hex')
}
