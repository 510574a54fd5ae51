import type { Identity } from '@ratchet/contracts/identity'
import type { FileStore, StoredFile } from '../domain/files/file-store.ts'
import { inPieces } from './in-pieces.ts'

export interface StoreFileDeps {
  readonly files: FileStore
  readonly now: () => Date
  readonly newId: () => string
}

export interface Upload {
  readonly identity: Identity
  readonly filename: string
  readonly content: AsyncIterable<Uint8Array>
  /** Awaited when the content was read: a form may tell it last. */
  readonly purpose: Promise<string>
}

/** Bytes of one row. */
const pieceBytes = 1024 * 1024

/** Stores a file as it arrives, one piece of it in memory. When anything fails nothing of it is left. */
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
      await files.append(file.id, position, piece)
      position += 1
      bytes += piece.length
    }
    const whole = { ...file, bytes, purpose: await purpose }
    await files.complete(file.id, { bytes, purpose: whole.purpose, at: now() })
    return whole
  } catch (error) {
    await files.delete({ workspaceId, id: file.id }).catch(() => undefined)
    throw error
  }
}
