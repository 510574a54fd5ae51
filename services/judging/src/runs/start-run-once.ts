import { isDeepStrictEqual } from 'node:util'
import { createIdempotently, type IdempotentCreation } from '@ratchet/service-kit/http/create-idempotently'
import type { RunProgress } from '../judgements/judgement.ts'
import type { JudgeRun, RunKind, RunStore } from './judge-run.ts'

export interface RunOrder {
  readonly request: IdempotentCreation<JudgeRun>['request']
  readonly workspaceId: string
  /** Null for suggestions. */
  readonly criterionId: string | null
  readonly kind: RunKind
  /** The request body and cost limit, as the run stores them. */
  readonly requested: Pick<JudgeRun, 'request' | 'maxCostNano'>
}

export interface StartedRun {
  readonly run: JudgeRun
  /** Headers of the reply. */
  readonly headers: Readonly<Record<string, string>>
}

/** Of a run that was just created. */
export const noProgress: RunProgress = { total: 0, done: 0, deadLettered: 0, costNano: 0n }

/** Whether the run was started by an earlier request. */
export function isReplay(headers: StartedRun['headers']): boolean {
  return Object.keys(headers).length > 0
}

export interface StartOnceDeps {
  readonly runs: Pick<RunStore, 'get'>
  readonly newId: () => string
}

/**
 * Starts a run once, however often its request is sent.
 *
 * @throws ServiceError `idempotency_conflict` when the key was used for a different run
 */
export async function startRunOnce(
  { runs, newId }: StartOnceDeps,
  { request, workspaceId, criterionId, kind, requested }: RunOrder,
  start: (id: string) => Promise<JudgeRun>,
): Promise<StartedRun> {
  const asStored: unknown = JSON.parse(JSON.stringify(requested.request))
  const { started: run, headers } = await createIdempotently(
    {
      request,
      scope: [kind, workspaceId, criterionId ?? ''],
      newId,
      find: (id) => runs.get({ workspaceId, id, kind }),
      isSame: (known) => isDeepStrictEqual(known.request, asStored) && known.maxCostNano === requested.maxCostNano,
    },
    start,
  )
  return { run, headers }
}
