import { randomUUID } from 'node:crypto'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId } from '@ratchet/contracts/public-id'
import type { FeedbackCount, LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { testEntry } from '../labels/log-entry.fixture.ts'

export interface MemoryLog {
  readonly reader: Pick<LogReader, 'entry' | 'sample' | 'drawRuns' | 'readRuns' | 'feedback'>
  /** Adds exchanges whose answers have these texts. Gives their UUIDs. */
  add(workspaceId: string, texts: readonly string[], more?: Partial<LogEntry>): readonly string[]
  delete(logId: string): void
  /** Numbers of users who found something good or bad, by UUID of the exchange or id of the run. */
  readonly feedback: Map<string, FeedbackCount>
}

/** A log in memory. Samples are all its exchanges or runs, in the order of their ids. */
export function createMemoryLog(now: () => Date): MemoryLog {
  const entries = new Map<string, { readonly workspaceId: string; readonly entry: LogEntry }>()
  const feedback: MemoryLog['feedback'] = new Map()
  const ownOf = (workspaceId: string) => [...entries.values()].filter((each) => each.workspaceId === workspaceId)
  return {
    feedback,
    reader: {
      feedback: async () => feedback,
      async entry({ workspaceId }, logId) {
        const found = entries.get(logId)
        return found?.workspaceId === workspaceId ? found.entry : null
      },
      async sample({ workspaceId }, { count }) {
        const own = ownOf(workspaceId).map(({ entry }) => entry)
        const rows = own.slice(0, count).map(({ messages: _, response: __, tools: ___, ...row }) => row)
        return { total: own.length, rows: rows as never }
      },
      async drawRuns({ workspaceId }, { count }) {
        const traceIds = [...new Set(ownOf(workspaceId).flatMap(({ entry }) => entry.trace_id ?? []))]
        return { totalRuns: traceIds.length, traceIds: traceIds.slice(0, count) }
      },
      async readRuns({ workspaceId }, traceIds) {
        return traceIds.flatMap((traceId) => {
          const steps = ownOf(workspaceId).filter(({ entry }) => entry.trace_id === traceId)
          const last = steps.at(-1)?.entry
          if (last === undefined) return []
          const { created_at: last_at, expires_at, finish_reason } = last
          const run = { trace_id: traceId, completed: finish_reason === 'stop', last_at, expires_at }
          return [{ ...run, step_count: steps.length, steps: steps.map(({ entry }) => entry) as never }]
        })
      },
    },
    add(workspaceId, texts, more = {}) {
      return texts.map((content) => {
        const uuid = randomUUID()
        const response = { role: 'assistant', content }
        entries.set(uuid, { workspaceId, entry: { ...entryAt(now()), ...more, response, id: publicId('log', uuid) } })
        return uuid
      })
    },
    delete: (logId) => void entries.delete(logId),
  }
}

function entryAt(at: Date): Omit<LogEntry, 'id'> {
  return {
    ...testEntry,
    created_at: at.toISOString(),
    expires_at: new Date(at.getTime() + 30 * 86_400_000).toISOString(),
    served_model: 'acme/fast-2',
    requested_model: 'support-alias',
    alias: 'support-alias',
    canary: true,
    cost_usd: 0.0123,
    latency_ms: 1234,
    messages: [{ role: 'user', content: 'What is 2 + 2?' }],
    response: { role: 'assistant', content: '' },
  }
}
