import type { Identity } from '@ratchet/contracts/identity'
import { maxLogVerdicts, readLogVerdicts } from '@ratchet/contracts/internal-judging'
import { uuidOf } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { logIdOf } from '../logs/log-id.ts'

export type LogVerdict = 'pass' | 'fail'

export interface VerdictQuery {
  readonly identity: Identity
  readonly criterionId: string
  /** UUIDs of exchanges. */
  readonly ids: readonly string[]
}

/** Reads the verdicts of a judge on exchanges, by UUID; those without a verdict are left out. */
export type VerdictsOfLogs = (query: VerdictQuery) => Promise<ReadonlyMap<string, LogVerdict>>

/**
 * Reads verdicts from judging, some at a time. It is called at least once, so that an unknown judge is found even when no
 * exchange matches.
 *
 * @throws ServiceError `not_found` for a judge that the workspace does not have, `invalid_request` for one that judges
 *   runs, `service_unavailable` when judging cannot answer
 */
export function createVerdictsOfLogs(judging: Pick<FleetClient, 'call'>): VerdictsOfLogs {
  return async ({ identity, criterionId, ids }) => {
    if (uuidOf('criterion', criterionId) === null) throw notFound('criterion', 'criterion_id')
    const uuids = new Map(ids.map((id) => [logIdOf(id), id]))
    const verdicts = new Map<string, LogVerdict>()
    const logIds = [...uuids.keys()]
    for (let from = 0; from === 0 || from < logIds.length; from += maxLogVerdicts) {
      const body = { criterion_id: criterionId, log_ids: logIds.slice(from, from + maxLogVerdicts) }
      const { data } = await judging.call(readLogVerdicts, { body }, identity).catch(refuse)
      for (const { log_id, verdict } of data) verdicts.set(uuids.get(log_id) ?? '', verdict)
    }
    return verdicts
  }
}

function refuse(cause: unknown): never {
  if (!(cause instanceof FleetCallError)) throw cause
  if (cause.code === 'not_found' && cause.param === 'criterion_id') throw notFound('criterion', 'criterion_id')
  if (cause.code === 'unsupported_unit') throw invalidRequest('criterion_id', 'This judge judges complete runs.')
  const message = 'Verdicts cannot be read at the moment.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}
