import { randomUUID } from 'node:crypto'
import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Verdict } from '@ratchet/contracts/criteria'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { Arm } from '@ratchet/contracts/internal-alias'
import { type GateRun, planGateJudgements, readGateVerdicts } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createWorkspaceClients } from '@ratchet/db/workspace-clients'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/values/ids'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { judgeWith, settingsWith, userId, workspaceId } from '../aliases/alias.fixture.ts'
import type { StoredAlias } from '../aliases/alias.ts'
import { changeAlias } from '../aliases/change-alias.ts'
import { createNotifyAlias, withAliasNotices, withGateNotices } from '../aliases/notify-alias.ts'
import { createPgAliasEvents } from '../aliases/pg-alias-events.ts'
import { createPgAliases } from '../aliases/pg-aliases.ts'
import { createPgShadows } from '../shadows/pg-shadows.ts'
import { type EvaluateAliasDeps, type EvaluationEvent, evaluateAlias } from './evaluate-alias.ts'
import type { GateJudge } from './gate-judge.ts'
import { createPgCanary } from './pg-canary.ts'
import { createPgTraffic } from './pg-traffic.ts'
import { loggedRun, runVerdicts } from './watched-runs.fixture.ts'

interface LoggedAnswer extends Partial<LogEntry> {
  /** The verdict of the judge. */
  readonly verdict?: Verdict
}

/** An alias on a real database, with a log, a judge and a clock that tests control. */
export interface WatchedAlias {
  readonly pool: Pool
  readonly operator: Pool
  readonly clock: ReturnType<typeof fixedClock>
  readonly deps: EvaluateAliasDeps
  readonly events: EvaluationEvent[]
  /** Topics that open pages were notified of. */
  readonly topics: string[]
  /** Exchanges whose verdict was ordered. */
  readonly planned: { readonly log_id: string; readonly source: string }[]
  /** Runs whose verdict was ordered. */
  readonly plannedRuns: GateRun[]
  /** Exchanges and runs that the monitor judged, by log id or trace id. */
  readonly monitored: Set<string>
  /** Why a run of this trace id got no verdict; null for one that the judge failed or passed. */
  failureOf: (traceId: string) => string | null
  /** Null for a judge that does not exist; an error while judging is unavailable. */
  judge: GateJudge | null | Error
  /** The grade of people for a scored answer. */
  gradeOf: (logId: string) => Verdict | null
  /** Probability with which a graded answer was drawn; null for one that a person picked. */
  probabilityOf: (logId: string) => number | null
  put(more?: Partial<AliasSettings>): Promise<StoredAlias>
  read(): Promise<StoredAlias>
  /** Logs an answer of an arm with the current time. */
  answer(arm: Arm, more?: LoggedAnswer): string
  report(arm: Arm, more: { readonly served: number; readonly errors: number }): Promise<void>
  evaluate(): Promise<StoredAlias>
  audit(): Promise<readonly string[]>
  /** Types of the webhook events. */
  published(): Promise<readonly string[]>
  clear(): Promise<void>
  drop(): Promise<void>
}

export async function watchedAlias(): Promise<WatchedAlias> {
  const database = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_alias', max: 6 })
  const clock = fixedClock('2026-11-22T00:00:00.000Z')
  const { now } = clock
  const aliases = createPgAliases(pool)
  const [log, verdicts] = [new Map<string, LogEntry>(), new Map<string, Verdict>()]
  const newId = () => uuidV7(now().getTime())
  const firstIdAt = (at: Date) => firstUuidV7At(at.getTime())
  const notifyAlias = createNotifyAlias(async (_workspaceId, { topic }) => void own.topics.push(topic), now)
  const own: WatchedAlias = {
    pool,
    operator,
    clock,
    events: [],
    topics: [],
    planned: [],
    plannedRuns: [],
    monitored: new Set(),
    failureOf: () => null,
    judge: judgeWith(),
    gradeOf: () => null,
    probabilityOf: () => 1,
    deps: {
      aliases: withAliasNotices(aliases, notifyAlias),
      canary: withGateNotices(createPgCanary(pool), notifyAlias),
      shadows: createPgShadows(pool),
      now,
      newId,
      firstIdAt,
      log: readerOf(log, now),
      judging: { call: async (endpoint, input) => judging(own, verdicts, { endpoint, body: input.body }) as never },
      async judgeOf() {
        if (own.judge instanceof Error) throw own.judge
        return own.judge
      },
      rules: { promoteAfterMs: dayMs, gradesPerArm: 50 },
      ingestLagMs: 35_000,
      shadowIdOf: ({ id }, logId) => deterministicId('shadow', id, logId),
      onceIdOf: ({ id, epoch }, fact) => deterministicId('once', id, String(epoch.number), fact),
      onEvent: (event) => own.events.push(event),
    },
    async put(more = {}) {
      const change = changeAlias({
        current: await aliases.get(key),
        settings: settingsWith(more),
        judge: own.judge instanceof Error ? judgeWith() : own.judge,
        actor: { type: 'user', userId, keyId: userId, requestId: 'r1' },
        workspaceId,
        evidence: null,
        reason: null,
        at: now(),
        newId,
        firstIdAt,
      })
      if (change !== null && !(await aliases.save(change))) throw new Error('the alias was not saved')
      return own.read()
    },
    async read() {
      const alias = await aliases.get(key)
      if (alias === null) throw new Error('there is no alias')
      return alias
    },
    answer(arm, { verdict = 'pass', ...more } = {}) {
      const id = uuidV7(now().getTime())
      log.set(id, logged({ id: publicId('log', id), arm, at: now(), more }))
      verdicts.set(id, verdict)
      return id
    },
    report: async (arm, more) => report(pool, await own.read(), { arm, ...more }),
    async evaluate() {
      await evaluateAlias(own.deps, await own.read())
      return own.read()
    },
    ...records({ pool, operator }),
    async clear() {
      await operator.query('TRUNCATE alias, alias_event, webhook_event CASCADE')
      log.clear()
      Object.assign(own, { judge: judgeWith(), gradeOf: () => null, probabilityOf: () => 1, failureOf: () => null })
      own.plannedRuns.length = 0
      own.monitored.clear()
      for (const list of [own.events, own.planned, own.topics]) list.length = 0
    },
    async drop() {
      await pool.end()
      await operator.end()
      await database.drop()
    },
  }
  return own
}

interface ArmReport {
  readonly arm: Arm
  readonly served: number
  readonly errors: number
}

async function report(pool: Pool, { id, epoch, updatedAt }: StoredAlias, { arm, served, errors }: ArmReport) {
  const costs = { cost_usd: 0, cost_usd_squared: 0, latencies: { 95: served - errors } }
  const row = { alias_id: id, epoch: epoch.number, arm, assigned: served, served, errors, ...costs }
  await createPgTraffic(pool).count({ reporter: randomUUID(), sequence: 1, arms: [row] }, updatedAt)
}

const key = { workspaceId, name: 'support' }

/** Reads the audit and the webhook events. */
function records({
  pool,
  operator,
}: Pick<WatchedAlias, 'pool' | 'operator'>): Pick<WatchedAlias, 'audit' | 'published'> {
  return {
    async audit() {
      const events = createPgAliasEvents({ pool, clients: createWorkspaceClients(pool) })
      const { events: found } = await events.list({ ...key, limit: 50, offset: 0 })
      return found.map(({ kind }) => kind)
    },
    async published() {
      const { rows } = await operator.query<{ type: string }>('SELECT type FROM webhook_event ORDER BY created_at')
      return rows.map(({ type }) => type)
    },
  }
}

function readerOf(log: ReadonlyMap<string, LogEntry>, now: () => Date): EvaluateAliasDeps['log'] {
  return {
    async readRuns(_identity, traceIds) {
      const byTrace = Map.groupBy([...log.values()].sort(byId), (entry) => entry.trace_id)
      return traceIds.flatMap((traceId) => {
        const steps = byTrace.get(traceId) ?? []
        return steps.length === 0 ? [] : [loggedRun(traceId, steps, now())]
      })
    },
    async freshOf(_identity, { after, limit }) {
      const later = [...log.values()].filter(({ id }) => (uuidOf('log', id) ?? '') > after)
      return later.sort(byId).slice(0, limit)
    },
    entry: async (_identity, logId) => log.get(logId) ?? null,
  }
}

function byId(a: LogEntry, b: LogEntry): number {
  return a.id < b.id ? -1 : 1
}

interface JudgingCall {
  readonly endpoint: Endpoint
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several endpoints
  readonly body: any
}

/** Simulates judging: an ordered verdict is available at the next call. */
function judging(own: WatchedAlias, verdicts: ReadonlyMap<string, Verdict>, { endpoint, body }: JudgingCall): object {
  if (own.judge instanceof Error) throw own.judge
  if (endpoint === planGateJudgements && body.runs !== undefined) {
    own.plannedRuns.push(...body.runs)
    return { planned: body.runs.length }
  }
  if (endpoint === readGateVerdicts && body.trace_ids !== undefined) return { data: runVerdicts(own, verdicts, body) }
  if (endpoint === planGateJudgements) {
    for (const { log_id } of body.items) own.planned.push({ log_id, source: body.source })
    return { planned: body.items.length }
  }
  if (endpoint !== readGateVerdicts) throw new FleetCallError('no such endpoint', { status: 404 })
  const known = new Set(own.planned.map(({ log_id }) => log_id))
  const data = body.log_ids.flatMap((log_id: string) => {
    const logId = uuidOf('log', log_id) ?? ''
    const by_monitor = own.monitored.has(logId)
    if (!known.has(log_id) && !by_monitor) return []
    const verdict = verdicts.get(logId) ?? 'pass'
    const grade = own.gradeOf(logId)
    const grade_probability = grade === null ? null : own.probabilityOf(logId)
    return [{ log_id, state: 'done', verdict, failure: null, by_monitor, grade, grade_probability }]
  })
  return { data }
}

interface Logged {
  readonly id: string
  readonly arm: Arm
  readonly at: Date
  readonly more: Partial<LogEntry>
}

function logged({ id, arm, at, more }: Logged): LogEntry {
  const model = arm === 'canary' ? 'sim/small' : 'sim/large'
  return {
    object: 'log',
    id,
    created_at: at.toISOString(),
    expires_at: new Date(at.getTime() + 1e9).toISOString(),
    model,
    served_model: model,
    requested_model: 'support',
    alias: 'support',
    canary: arm === 'canary',
    fallback_from: null,
    provider: 'sim',
    tag: null,
    trace_id: null,
    span_id: null,
    parent_span_id: null,
    conversation_id: null,
    step_index: null,
    segment: 'none',
    segment_exact: 'none',
    finish_reason: 'stop',
    stream: false,
    cached: false,
    prompt_tokens: 1,
    completion_tokens: 1,
    total_tokens: 2,
    reasoning_tokens: null,
    cost_usd: 0,
    latency_ms: 100,
    ttft_ms: null,
    redaction: { count: 0, kinds: [] },
    source: 'gateway',
    messages: [{ role: 'user', content: 'Hi.' }],
    response: { role: 'assistant', content: 'Hello.' },
    tools: null,
    response_format: null,
    params: {},
    user: null,
    metadata: {},
    ...more,
  }
}
