import { isDeepStrictEqual } from 'node:util'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Request } from 'express'
import type { JudgeRun, RunKind, RunStore } from '../domain/judge-run.ts'

export interface RunOrder {
  readonly request: Request
  readonly workspaceId: string
  /** Null for suggestions. */
  readonly criterionId: string | null
  readonly kind: RunKind
  /** What is asked for, as the run keeps it. */
  readonly wanted: Pick<JudgeRun, 'request' | 'maxCostNano'>
}

export interface StartedRun {
  readonly run: JudgeRun
  /** Of the answer. */
  readonly headers: Readonly<Record<string, string>>
}

export interface StartOnceDeps {
  readonly runs: Pick<RunStore, 'get'>
  readonly newId: () => string
}

const header = 'Idempotency-Key'

/**
 * Starts a run under an id that its `Idempotency-Key` decides: a request that is sent again starts nothing again and is
 * answered with the run that it started.
 *
 * @throws ServiceError `idempotency_conflict` when the key started another one
 */
export async function startOnce(
  { runs, newId }: StartOnceDeps,
  { request, workspaceId, criterionId, kind, wanted }: RunOrder,
  start: (id: string) => Promise<JudgeRun>,
): Promise<StartedRun> {
  const key = readKey(request)
  if (key === null) return { run: await start(newId()), headers: {} }
  const id = deterministicId('run', kind, workspaceId, criterionId ?? '', key)
  const replay = async (): Promise<StartedRun | null> => {
    const run = await runs.get({ workspaceId, id, kind })
    return run === null ? null : { run: sameOrder(run, wanted), headers: { 'Idempotent-Replay': 'true' } }
  }
  const known = await replay()
  if (known !== null) return known
  try {
    return { run: await start(id), headers: {} }
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

function sameOrder(run: JudgeRun, wanted: RunOrder['wanted']): JudgeRun {
  const asKept: unknown = JSON.parse(JSON.stringify(wanted.request))
  if (isDeepStrictEqual(run.request, asKept) && run.maxCostNano === wanted.maxCostNano) return run
  throw new ServiceError('idempotency_conflict', `This ${header} was used for another request.`, { param: header })
}
