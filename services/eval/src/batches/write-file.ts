import type { Identity } from '@ratchet/contracts/identity'
import { maxPieceCharacters, writeFilePiece } from '@ratchet/contracts/internal-batches'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { EndedLine } from './batch.ts'
import { fileLine } from './file-lines.ts'

export interface BatchFile {
  /** UUID, the same in every repetition. */
  readonly fileId: string
  readonly filename: string
  readonly identity: Identity
}

/**
 * Writes lines to a file. A repetition after a crash begins it again; a complete one stays as it is.
 *
 * @returns false when there are no lines, so that there is no file
 */
export async function writeFile(
  logging: Pick<FleetClient, 'call'>,
  { fileId, filename, identity }: BatchFile,
  lines: AsyncIterable<EndedLine>,
): Promise<boolean> {
  let [position, bytes, held] = [0, 0, '']
  const send = async (text: string, isLast: boolean) => {
    bytes += Buffer.byteLength(text)
    const body = { filename, purpose: 'batch_output', position, text, total_bytes: bytes, is_last: isLast } as const
    await logging.call(writeFilePiece, { params: { file_id: fileId }, body }, identity)
    position += 1
  }
  for await (const line of lines) {
    held += fileLine(line)
    for (; held.length > maxPieceCharacters; held = held.slice(cutOf(held)))
      await send(held.slice(0, cutOf(held)), false)
  }
  if (held === '') return false
  await send(held, true)
  return true
}

/** Does not cut a surrogate pair. */
function cutOf(text: string): number {
  const isHigh = (text.charCodeAt(maxPieceCharacters - 1) & 0xfc00) === 0xd800
  return isHigh ? maxPieceCharacters - 1 : maxPieceCharacters
}
