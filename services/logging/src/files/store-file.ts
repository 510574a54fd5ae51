import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Identity } from '@ratchet/contracts/identity'
import type { StoredFile } from './file.ts'
import { inPieces } from './in-pieces.ts'
import type { FileStore } from './pg-files.ts'

export interface StoreFileDeps {
  readonly files: FileStore
  readonly now: () => Date
  readonly newId: () => string
}

export interface Upload {
  readonly identity: Identity
  readonly filename: string
  readonly content: AsyncIterable<Uint8Array>
  /** Awaited after the content was read, because a form may send it last. */
  readonly purpose: Promise<string>
}

/** Bytes of content in one row. */
const pieceBytes = mebibyte

/** Stores a file while it arrives, with one piece in memory. When anything fails, the file is deleted. */
export async function storeFile(
  { files, now, newId }: StoreFileDeps,
  { identity: { workspaceId, userId }, filename, content, purpose }: Upload,
): Promise<StoredFile> {
  const file = { id: newId(), workspaceId, filename, createdBy: userId, createdAt: now() }
  await files.begin(file)
  try {
    let position = 0
    let bytes = 0
    for await (const piece of inPieces(content, pieceBytes)) {
      await files.append(file, position, piece)
      position += 1
      bytes += piece.length
    }
    const whole = { ...file, bytes, purpose: await purpose }
    await files.complete(file, { bytes, purpose: whole.purpose, at: now() })
    return whole
  } catch (error) {
    await files.delete({ workspaceId, id: file.id }).catch(() => undefined)
    throw error
  }
}
