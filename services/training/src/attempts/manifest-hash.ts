import { createHash } from 'node:crypto'
import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'

/**
 * SHA-256 of a checkpoint, 64 hex digits: of the lines `<sha256>  <name>` of its files in the order of their names, as
 * `sha256sum` prints them. Equal checkpoints have equal hashes.
 */
export function manifestHash(files: readonly Pick<CheckpointFile, 'name' | 'sha256'>[]): string {
  const lines = files.map(({ name, sha256 }) => ({ name, line: `${sha256}  ${name}\n` }))
  lines.sort((a, b) => (a.name < b.name ? -1 : 1))
  const hash = createHash('sha256')
  for (const { line } of lines) hash.update(line)
  return hash.digest('hex')
}
