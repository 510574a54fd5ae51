import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import { seedOf } from '../runs/seed-of.ts'
import { type Assistant, AssistantRefused } from './assistant.ts'
import type { AssistReads } from './pg-assist.ts'
import {
  readSuggestions,
  type SuggestionEvidence,
  type SuggestionRequest,
  type SuggestionResult,
  suggestionQuestion,
} from './suggestion.ts'

export interface SuggestionRunDeps {
  readonly assist: AssistReads
  readonly log: Pick<LogReader, 'sample' | 'entry'>
  readonly assistant: Assistant
}

const maxGradedFails = 25
const maxExchanges = 25
/** More are drawn than are shown, because long conversations, in which users may have complained, are preferred. */
const maxDrawn = 200

/** Makes suggestions in one step, from graded fails and a sample of the log. */
export function createSuggestionRunHandler(deps: SuggestionRunDeps): RunHandler {
  return async (run) => {
    try {
      return await suggest(deps, run)
    } catch (error) {
      if (error instanceof LoggingIsOff) return { kind: 'failed', error: 'Request logging was turned off.' }
      if (error instanceof AssistantRefused) return { kind: 'failed', error: error.message }
      throw error
    }
  }
}

async function suggest({ assist, log, assistant }: SuggestionRunDeps, run: LeasedRun): ReturnType<RunHandler> {
  const { filters, maxSuggestions } = run.request as SuggestionRequest
  const { workspaceId } = run
  const { tag, segment } = filters
  const fails = await assist.gradedFails({ workspaceId, tag, segment, until: run.createdAt, limit: maxGradedFails })
  const exchanges = await longestExchanges(log, run, filters)
  const evidence: SuggestionEvidence[] = [
    ...fails.map(({ logId, rationale, exchange }) => ({
      logId: logId === null ? null : publicId('log', logId),
      exchange,
      complaint: { rationale },
    })),
    ...exchanges,
  ]
  const seen = { gradedFails: fails.length, exchanges: exchanges.length }
  if (evidence.length === 0) return { kind: 'done', result: { ...seen, suggestions: [], costNano: '0' } }
  const question = suggestionQuestion(evidence, maxSuggestions)
  const { value, costNano } = await assistant.ask({
    ...question,
    workspaceId,
    requestedBy: run.createdBy,
    model: run.judgeModel,
    // The key includes the shown evidence, because some of it may have expired before a retry.
    key: deterministicId('suggestion', run.id, question.user),
    spendCap: null,
  })
  const suggestions = readSuggestions(value, evidence, maxSuggestions)
  const result: SuggestionResult = { ...seen, suggestions: suggestions ?? [], costNano: String(costNano) }
  if (suggestions !== null) return { kind: 'done', result }
  return { kind: 'failed', error: `${run.judgeModel} did not return suggestions.`, result }
}

async function longestExchanges(
  log: SuggestionRunDeps['log'],
  run: LeasedRun,
  filters: SampleFilters,
): Promise<SuggestionEvidence[]> {
  const identity = workerIdentity(run.workspaceId, run.createdBy)
  const end = filters.end ?? run.createdAt.toISOString()
  const { rows } = await log.sample(identity, { filters: { ...filters, end }, count: maxDrawn, seed: seedOf(run.id) })
  const read: SuggestionEvidence[] = []
  for (const row of rows.toSorted((one, other) => other.prompt_tokens - one.prompt_tokens).slice(0, maxExchanges)) {
    const entry = await log.entry(identity, uuidOf('log', row.id) ?? '')
    if (entry === null) continue
    const { messages, response, tools, model } = entry
    read.push({ logId: entry.id, exchange: { messages, response, tools, model }, complaint: null })
  }
  return read
}
