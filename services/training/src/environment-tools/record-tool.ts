import type { CreatedEnvironmentTool, RecordedFromTraces } from '@ratchet/contracts/environment-tools'
import type { ToolFromTraces } from '@ratchet/contracts/environment-tools-body'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { z } from 'zod'
import type { Recording, ToolSettings } from './environment-tool.ts'
import {
  type ArgumentSeen,
  argumentsSeen,
  type Coverage,
  coverageOnHoldout,
  type Recorded,
  recordCalls,
} from './record-calls.ts'
import { recordedSettings } from './tool-settings.ts'
import type { TracesRead } from './trace-reader.ts'

export interface RecordedTool extends TracesRead {
  readonly settings: ToolSettings
  readonly recordings: readonly Recording[]
  readonly found: Recorded
  readonly coverage: Coverage
  readonly seen: readonly ArgumentSeen[]
}

/**
 * A recorded tool from the calls in traces, with what is known of its coverage. Takes steps of some milliseconds.
 *
 * @throws ServiceError when there is no call with an answer, or no name that a tool may have
 */
export function* recordTool(body: ToolFromTraces, read: TracesRead): Generator<void, RecordedTool> {
  const { match, keyArguments, ignoreArguments, maxRecordings, toolName } = body
  if (read.calls.length === 0 && !body.dryRun) {
    const message = `None of the ${read.exchanges} exchanges has a call of ${JSON.stringify(toolName)} with its answer.`
    throw new ServiceError('invalid_request', message, { param: 'toolName' })
  }
  if (body.name == null && !/^[A-Za-z0-9_-]{1,64}$/.test(toolName)) {
    const message = 'The name in the traces cannot be the name of a tool: give a `name`.'
    throw new ServiceError('invalid_request', message, { param: 'name' })
  }
  const comparison = { match, keyArguments, ignoreArguments }
  const found = yield* recordCalls(read.calls, comparison, maxRecordings)
  const coverage = yield* coverageOnHoldout(read.calls, comparison, maxRecordings)
  const settings = recordedSettings(body, {
    description: body.description ?? read.offered?.description ?? '',
    parameters: body.parameters ?? read.offered?.parameters ?? { type: 'object' },
    recordings: found.recordings.length,
    coverage: coverage.rate,
  })
  const seen = yield* argumentsSeen(read.calls)
  return { ...read, settings, recordings: found.recordings, found, coverage, seen }
}

export function recordedReply(
  { exchanges, calls, recordings, found, coverage, seen }: RecordedTool,
  tool: z.input<typeof CreatedEnvironmentTool> | null,
): z.input<typeof RecordedFromTraces> {
  return {
    object: 'environment_tool.from_traces',
    tool,
    exchanges_read: exchanges,
    calls: calls.length,
    distinct: found.distinct,
    recordings: recordings.length,
    arguments_seen: [...seen],
    holdout_calls: coverage.calls,
    coverage_on_holdout: coverage.rate,
    coverage_ci: coverage.interval === null ? null : [...coverage.interval],
    conflicting: found.conflicting,
  }
}
