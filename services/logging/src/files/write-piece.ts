import type { Identity } from '@ratchet/contracts/identity'
import type { StoreFileDeps } from './store-file.ts'

export interface FilePiece {
  readonly identity: Identity
  /** UUID. */
  readonly fileId: string
  readonly filename: string
  readonly purpose: string
  /** From 0. */
  readonly position: number
  readonly text: string
  /** Bytes of the file, with this piece. */
  readonly total_bytes: number
  readonly is_last: boolean
}

/**
 * Stores a piece of a file that another service makes. The first piece discards what an earlier attempt left.
 *
 * @returns bytes of the file until now
 * @throws ServiceError `quota_exceeded`
 */
export async function writePiece({ files, now }: Omit<StoreFileDeps, 'newId'>, piece: FilePiece): Promise<number> {
  const { identity, fileId: id, filename, purpose, position, text, total_bytes: bytes, is_last: isLast } = piece
  const key = { workspaceId: identity.workspaceId, id }
  const complete = await files.get(key)
  if (complete !== null) return complete.bytes
  if (position === 0) {
    await files.delete(key)
    await files.begin({ ...key, filename, createdBy: identity.userId, createdAt: now() })
  }
  await files.append(key, position, Buffer.from(text))
  if (isLast) await files.complete(key, { bytes, purpose, at: now() })
  return bytes
}
