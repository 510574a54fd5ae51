import { isDeepStrictEqual } from 'node:util'
import { createIdempotently } from '@ratchet/service-kit/create-idempotently'
import type { Request } from 'express'
import type { JudgeRun, RunKind, RunStore } from '../domain/judge-run.ts'

export interface RunOrder {
  readonly request: Request
  readonly workspaceId: string
  /** Null for suggestions. */
  readonly criterionId: string | null
  readonly kind: RunKind
  /** What is asked for, as the run keeps it. */
  readonly requested: Pick<JudgeRun, 'request' | 'maxCostNano'>
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

/**
 * Starts a run once, however often its request is sent.
 *
 * @throws ServiceError `idempotency_conflict` when the key started another one
 */
export async function startRunOnce(
  { runs, newId }: StartOnceDeps,
  { request, workspaceId, criterionId, kind, requested }: RunOrder,
  start: (id: string) => Promise<JudgeRun>,
): Promise<StartedRun> {
  const asKept: unknown = JSON.parse(JSON.stringify(requested.request))
  const { started: run, headers } = await createIdempotently(
    {
      request,
      scope: [kind, workspaceId, criterionId ?? ''],
      newId,
      find: (id) => runs.get({ workspaceId, id, kind }),
      isSame: (known) => isDeepStrictEqual(known.request, asKept) && known.maxCostNano === requested.maxCostNano,
    },
    start,
  )
  return { run, headers }
}
