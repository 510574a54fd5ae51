import type { Request } from 'express'
import { deterministicId } from '../values/deterministic-id.ts'
import { ServiceError } from './service-error.ts'

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

const header = 'Idempotency-Key'

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
  const key = readKey(request)
  if (key === null) return { started: await start(newId()), headers: {} }
  const id = deterministicId('run', ...scope, key)
  const replay = async (): Promise<IdempotentResult<Started> | null> => {
    const started = await find(id)
    if (started === null) return null
    if (isSame(started)) return { started, headers: { 'Idempotent-Replay': 'true' } }
    throw new ServiceError('idempotency_conflict', `This ${header} was used for a different request.`, {
      param: header,
    })
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

function readKey(request: Request): string | null {
  const key = request.get(header)
  if (key === undefined) return null
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new ServiceError('invalid_request', `${header} must be 1 to 255 visible ASCII characters.`, { param: header })
}
