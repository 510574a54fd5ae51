import type { Identity } from '@ratchet/contracts/identity'
import { maxJudgedSteps } from '@ratchet/contracts/internal-logs'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { requireLog } from '../runs/require-log.ts'
import { type LoggedRunItem, loggedRun } from './plan-logged.ts'
import { readRun } from './read-run.ts'

type RunReads = Pick<LogReader, 'entry' | 'readRuns'>

/**
 * A completed run of the caller's workspace.
 *
 * @throws ServiceError `not_found`, `conflict` for a run that may continue, `context_length_exceeded` for one that is too
 *   long, `logging_disabled`
 */
export async function requireRun(log: RunReads, identity: Identity, traceId: string): Promise<LoggedRunItem> {
  const [found] = await requireLog(() => log.readRuns(identity, [traceId]))
  if (found === undefined) throw notFound('trace', 'trace_id')
  if (!found.completed) {
    const message = 'The run is not completed: its last step must end with `stop`, and be ten minutes old.'
    throw new ServiceError('conflict', message, { param: 'trace_id' })
  }
  const run = loggedRun(found)
  if (run === null) throw tooLarge(`A run of more than ${maxJudgedSteps} steps cannot be judged.`)
  return run
}

/** @throws ServiceError also when the run is too large for a judge */
export async function requireRunContent(log: RunReads, identity: Identity, traceId: string): Promise<JudgedExchange> {
  return readRunContent(log, identity, await requireRun(log, identity, traceId))
}

/** @throws ServiceError `not_found` when a step was deleted meanwhile, `context_length_exceeded`, `logging_disabled` */
export async function readRunContent(
  log: RunReads,
  identity: Identity,
  { stepIds }: LoggedRunItem,
): Promise<JudgedExchange> {
  const content = await requireLog(() => readRun(log, identity, stepIds))
  if (content === null) throw notFound('trace', 'trace_id')
  if (content === 'too_large') throw tooLarge('The run is too large for a judge prompt.')
  return content
}

function tooLarge(message: string): ServiceError {
  return new ServiceError('context_length_exceeded', message, { param: 'trace_id' })
}
