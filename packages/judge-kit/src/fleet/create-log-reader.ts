import { maxFeedbackIds, readFeedback } from '@ratchet/contracts/internal-feedback'
import {
  drawRuns,
  freshExchanges,
  type LoggedRun,
  maxRunsPerRead,
  presentExchanges,
  quietRuns,
  readRuns,
  sampleExchanges,
  samplePrompts,
  sampleRuns,
} from '@ratchet/contracts/internal-logs'
import { getLog } from '@ratchet/contracts/logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { type FeedbackCount, LoggingIsOff, type LogReader } from './log-reader.ts'

export function createLogReader(
  logging: FleetClient,
  conversation: LogReader['conversation'] | null = null,
): LogReader {
  return {
    ...(conversation === null || conversation === undefined ? {} : { conversation }),
    async entry(identity, logId) {
      try {
        return await logging.call(getLog, { params: { id: publicId('log', logId) } }, identity)
      } catch (error) {
        if (error instanceof FleetCallError && error.status === 404) return null
        throw asLoggingIsOff(error)
      }
    },
    async sample(identity, requested) {
      const { total, data } = await logging.call(sampleExchanges, { body: requested }, identity).catch(rethrow)
      return { total, rows: data }
    },
    async prompts(identity, requested) {
      const sample = await logging.call(samplePrompts, { body: requested }, identity).catch(rethrow)
      return { total: sample.total, examined: sample.looked_at, distinct: sample.distinct, rows: sample.data }
    },
    async runs(identity, { filters, maxSteps, seed }) {
      const body = { filters, max_steps: maxSteps, seed }
      const sample = await logging.call(sampleRuns, { body }, identity).catch(rethrow)
      const runs = sample.data.map(({ trace_id: traceId, steps }) => ({ traceId, steps }))
      return { totalRuns: sample.total_runs, eligibleSteps: sample.eligible_steps, runs }
    },
    async drawRuns(identity, requested) {
      const drawn = await logging.call(drawRuns, { body: requested }, identity).catch(rethrow)
      return { totalRuns: drawn.total_runs, traceIds: drawn.trace_ids }
    },
    async readRuns(identity, traceIds) {
      const runs: LoggedRun[] = []
      for (let from = 0; from < traceIds.length; from += maxRunsPerRead) {
        const body = { trace_ids: traceIds.slice(from, from + maxRunsPerRead) }
        runs.push(...(await logging.call(readRuns, { body }, identity).catch(rethrow)).data)
      }
      return runs
    },
    async quietRuns(identity, { lastAt, traceId }, limit) {
      const query = { after: lastAt.toISOString(), after_id: traceId === '' ? undefined : traceId, limit }
      const { data } = await logging.call(quietRuns, { query }, identity).catch(rethrow)
      return data.map((run) => ({ traceId: run.trace_id, lastAt: new Date(run.last_at) }))
    },
    async fresh(identity, after, limit) {
      const { data } = await logging.call(freshExchanges, { query: { after, limit } }, identity).catch(rethrow)
      return data
    },
    async freshOf(identity, { alias, after, limit }) {
      const { data } = await logging.call(freshExchanges, { query: { alias, after, limit } }, identity).catch(rethrow)
      return data
    },
    async feedback(identity, items) {
      const isOfLogs = 'logIds' in items
      const ids = isOfLogs ? items.logIds : items.traceIds
      const found = new Map<string, FeedbackCount>()
      for (let from = 0; from < ids.length; from += maxFeedbackIds) {
        const some = ids.slice(from, from + maxFeedbackIds)
        const body = isOfLogs ? { log_ids: some } : { trace_ids: some }
        const { data } = await logging.call(readFeedback, { body }, identity)
        for (const { log_id: logId, trace_id: traceId, up, down } of data) {
          found.set(logId ?? traceId ?? '', { up, down })
        }
      }
      return found
    },
    async present(identity, logIds) {
      const body = { ids: logIds.map((id) => publicId('log', id)) }
      const { ids } = await logging.call(presentExchanges, { body }, identity)
      return new Set(ids.flatMap((id) => uuidOf('log', id) ?? []))
    },
  }
}

function asLoggingIsOff(error: unknown): unknown {
  const isOff = error instanceof FleetCallError && error.code === 'logging_disabled'
  return isOff ? new LoggingIsOff('request logging is off for the workspace', { cause: error }) : error
}

function rethrow(error: unknown): never {
  throw asLoggingIsOff(error)
}
