import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import type { OtlpCapture } from '@ratchet/testing/otlp-capture'
import type { Fleet } from '../fleet.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import type { FleetProcess } from '../start-process.ts'
import { everyRedisValue, everyRow } from '../stored-texts.ts'
import type { Answer, BilledRequest, Evidence, HeldBlock, ProcessExit, ProviderCall } from './evidence.ts'
import { hasSettled } from './has-settled.ts'

export interface Scene {
  readonly fleet: Fleet
  readonly answers: readonly Answer[]
  /** Secrets by their names in a report. */
  readonly secrets: ReadonlyMap<string, string>
  readonly spans: Pick<OtlpCapture, 'text'>
}

/** Waits until no request runs, reads what must be read while processes run, then stops all of them. */
export async function gatherEvidence({ fleet, answers, secrets, spans }: Scene): Promise<Evidence> {
  const { violations } = await ledgerAtRest(fleet, fleet.workspace)
  const billed = await readBilled(fleet)
  const blocks = await readBlocks(fleet)
  const providerCalls = await readProviderCalls(fleet)
  const redis = await everyRedisValue(fleet.redisUrl)
  const exits = await stopAll(fleet.processes)
  const places = new Map([
    ...fleet.processes.map(({ name, log }) => [`the log of ${name}`, log.join('\n')] as const),
    ['Redis', redis.join('\n')],
    ['Postgres', await withPool(fleet, async (pool) => (await everyRow(pool)).map(({ text }) => text).join('\n'))],
    ['exported spans', spans.text()],
  ])
  const openConnections = await connectionsLeft(fleet)
  return {
    answers,
    billed,
    blocks,
    providerCalls,
    violations,
    exits,
    openConnections,
    leaks: findLeaks(secrets, places),
  }
}

/** Reads every request of the workspace that has a row. */
export async function readBilled(fleet: Fleet): Promise<readonly BilledRequest[]> {
  const { rows } = await withPool(fleet, (pool) =>
    pool.query(
      `SELECT request_id, state, coalesce(cost, 0) AS cost, extract(epoch FROM opened_at) * 1000 AS opened
         FROM ledger_request WHERE wallet_id = $1 AND kind = 'chat'`,
      [fleet.workspace.workspaceId],
    ),
  )
  return rows.map(({ request_id, state, cost, opened }) => ({
    requestId: request_id,
    state,
    cost: BigInt(cost),
    openedAtMs: Number(opened),
  }))
}

async function readBlocks(fleet: Fleet): Promise<readonly HeldBlock[]> {
  const { rows } = await withPool(fleet, (pool) =>
    pool.query<{ opened_at: Date; sealed_at: Date | null }>(
      'SELECT opened_at, sealed_at FROM escrow_block WHERE wallet_id = $1',
      [fleet.workspace.workspaceId],
    ),
  )
  return rows.map(({ opened_at, sealed_at }) => ({
    openedAtMs: opened_at.getTime(),
    sealedAtMs: sealed_at?.getTime() ?? null,
  }))
}

async function readProviderCalls({ provider }: Fleet): Promise<readonly ProviderCall[]> {
  const { requests } = await provider.report()
  return requests.map(({ parameters: { user }, started_at_ms: startedAtMs }) => ({
    tag: typeof user === 'string' ? user : null,
    startedAtMs,
  }))
}

/** Stops running processes, callers before callees; returns how each ended. */
async function stopAll(processes: readonly FleetProcess[]): Promise<readonly ProcessExit[]> {
  const exits: ProcessExit[] = []
  for (const process of [...processes].reverse()) {
    const wasAsked = !(await hasSettled(process.exited))
    if (wasAsked) await process.stop()
    exits.push({ name: process.name, wasAsked, ...(await process.exited) })
  }
  return exits
}

/** Waits for a moment, because servers do not detect closed sockets at once. */
async function connectionsLeft({ postgres, redis }: Fleet): Promise<number> {
  const open = () => postgres.connections + redis.connections
  // Connections that are still open are reported as a problem.
  await eventually(() => open() === 0, { withinMs: 2_000 }).catch(() => undefined)
  return open()
}

function findLeaks(secrets: ReadonlyMap<string, string>, places: ReadonlyMap<string, string>): Evidence['leaks'] {
  return [...secrets].flatMap(([secret, value]) => {
    return [...places].flatMap(([place, text]) => (text.includes(value) ? [{ secret, place }] : []))
  })
}

async function withPool<T>({ databaseUrl }: Fleet, use: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    return await use(pool)
  } finally {
    await pool.end()
  }
}
