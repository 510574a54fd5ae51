import type { Identity } from '@ratchet/contracts/identity'
import { drawPrompts } from '@ratchet/contracts/internal-datasets'
import type { StartRaftRound } from '@ratchet/contracts/session-raft'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { dividePrompts, type PromptDataDeps, readPromptData } from '../grpo/runs/prompt-data.ts'
import type { Round, RoundKey, RoundPrompt } from './round.ts'

export interface RoundPromptDeps extends PromptDataDeps {
  readonly logging: Pick<FleetClient, 'call'>
  /** Of a round, in their order. */
  readonly promptsOf: (round: RoundKey) => Promise<readonly RoundPrompt[]>
}

export interface RoundPromptOrder {
  readonly identity: Identity
  readonly request: StartRaftRound
  readonly seed: number
  /** The round that it follows. */
  readonly last: Round | null
}

export interface RoundPrompts {
  readonly train: readonly RoundPrompt[]
  readonly heldOut: readonly RoundPrompt[]
  /** UUID; null for prompts of the log. */
  readonly datasetId: string | null
  readonly warnings: readonly string[]
}

/** Most prompts that are answered, and most that are held out and asked. */
const maxPrompts = 2_000
const maxHeldOut = 100

/**
 * The prompts of a round: those of a dataset, of the log, or of the rounds before it.
 *
 * @throws ServiceError naming the wrong field
 */
export async function roundPrompts(deps: RoundPromptDeps, order: RoundPromptOrder): Promise<RoundPrompts> {
  const { identity, request, seed, last } = order
  const { datasetId, filters, evalDatasetId, holdoutPct } = request
  if ((datasetId == null) === (filters == null)) {
    throw invalidRequest('datasetId', 'Exactly one of `datasetId` and `filters` is required.')
  }
  if (evalDatasetId != null && holdoutPct != null) {
    throw invalidRequest('holdoutPct', '`holdoutPct` cannot be used together with `evalDatasetId`.')
  }
  const division = { identity, evalDatasetId, holdoutPct, seed, lookPrompts: 1 }
  if (datasetId != null) {
    const { parts, datasetId: id, warnings } = await readPromptData(deps, { ...division, datasetId })
    return { ...chosen(parts), datasetId: id, warnings }
  }
  // The log has changed since; what was held out then has to stay so.
  if (last !== null) {
    const prompts = await deps.promptsOf(last)
    const { prompts: trained } = last.settings
    return { train: prompts.slice(0, trained), heldOut: prompts.slice(trained), datasetId: null, warnings: [] }
  }
  const lines = await linesOfLog(deps, order)
  const { parts, warnings } = await dividePrompts(deps, { ...division, lines, param: 'filters' })
  return { ...chosen(parts), datasetId: null, warnings }
}

function chosen({ train, guard, proof }: Readonly<Record<'train' | 'guard' | 'proof', readonly RoundPrompt[]>>) {
  return { train: train.slice(0, maxPrompts), heldOut: [...guard, ...proof].slice(0, maxHeldOut) }
}

/** Prompts of the log with their logged replies, as lines of examples. */
async function linesOfLog({ logging }: RoundPromptDeps, { identity, request, seed }: RoundPromptOrder) {
  const body = { filters: request.filters ?? {}, count: maxPrompts, seed }
  const { data } = await logging.call(drawPrompts, { body }, identity).catch((error: unknown) => {
    if (!(error instanceof FleetCallError)) throw error
    if (error.code === 'logging_disabled') {
      throw new ServiceError('logging_disabled', error.message, { param: 'filters', cause: error })
    }
    if (!error.mayPass) throw error
    const message = 'The log cannot be read at the moment. Retry.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
  })
  const lines = data.map(({ messages, tools, reply }) =>
    JSON.stringify({
      messages: reply === null ? messages : [...messages, reply],
      ...(tools === null ? {} : { tools }),
    }),
  )
  return Buffer.from(lines.join('\n'))
}
