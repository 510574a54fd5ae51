import type { Request } from 'express'
import { deterministicId } from './deterministic-id.ts'
import { ServiceError } from './service-error.ts'

/** Something that a request starts, and that the same request sent again must not start again. */
export interface IdempotentCreation<Started> {
  readonly request: Request
  /** What keys are told apart by beside their own text: the kind of work, the workspace, what it is about. */
  readonly scope: readonly string[]
  readonly newId: () => string
  /** What was started under an id. */
  readonly find: (id: string) => Promise<Started | null>
  /** Whether what was started is what is ordered now. */
  readonly isSame: (started: Started) => boolean
}

export interface IdempotentResult<Started> {
  readonly started: Started
  /** Of the answer. */
  readonly headers: Readonly<Record<string, string>>
}

const header = 'Idempotency-Key'

/**
 * Starts something under an id that its `Idempotency-Key` decides: a request that is sent again starts nothing again and
 * is answered with what it started.
 *
 * @throws ServiceError `idempotency_conflict` when the key started something else
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
    throw new ServiceError('idempotency_conflict', `This ${header} was used for another request.`, { param: header })
  }
  const known = await replay()
  if (known !== null) return known
  try {
    return { started: await start(id), headers: {} }
  } catch (error) {
    // Somebody else may have started it under the same key meanwhile.
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
