import type { Request } from 'express'
import { deterministicId } from '../values/deterministic-id.ts'
import { readIdempotencyKey, usedForAnother } from './idempotency-key.ts'

/** A creation that must happen once, also when the client repeats its request. */
export interface IdempotentCreation<Started> {
  readonly request: Request
  /** Namespace of the key: the kind of resource, the workspace, and what it belongs to. */
  readonly scope: readonly string[]
  readonly newId: () => string
  /** Finds what was created under an id. */
  readonly find: (id: string) => Promise<Started | null>
  /** Whether the existing resource is what this request would create. */
  readonly isSame: (started: Started) => boolean
}

export interface IdempotentResult<Started> {
  readonly started: Started
  /** Headers of the reply. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Creates something under an id derived from its `Idempotency-Key`. A repeated request creates nothing and is answered
 * with what the first one created.
 *
 * @throws ServiceError `idempotency_conflict` when the key was used for a different request
 */
export async function createIdempotently<Started>(
  { request, scope, newId, find, isSame }: IdempotentCreation<Started>,
  start: (id: string) => Promise<Started>,
): Promise<IdempotentResult<Started>> {
  const key = readIdempotencyKey(request)
  if (key === null) return { started: await start(newId()), headers: {} }
  const id = deterministicId('run', ...scope, key)
  const replay = async (): Promise<IdempotentResult<Started> | null> => {
    const started = await find(id)
    if (started === null) return null
    if (isSame(started)) return { started, headers: { 'Idempotent-Replay': 'true' } }
    throw usedForAnother()
  }
  const known = await replay()
  if (known !== null) return known
  try {
    return { started: await start(id), headers: {} }
  } catch (error) {
    // A concurrent request with the same key may have created it.
    const other = await replay()
    if (other !== null) return other
    throw error
  }
}
