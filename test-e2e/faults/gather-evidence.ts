import { setTimeout as sleep } from 'node:timers/promises'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { OtlpCapture } from '@ratchet/testing/otlp-capture'
import type { Fleet, FleetProcess } from '../fleet.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import { everyRedisValue, everyRow } from '../stored-texts.ts'
import type { Answer, BilledRequest, Evidence, ProcessExit, ProviderCall } from './evidence.ts'

export interface Scene {
  readonly fleet: Fleet
  readonly answers: readonly Answer[]
  /** By what they are called in a report. */
  readonly secrets: ReadonlyMap<string, string>
  readonly spans: Pick<OtlpCapture, 'text'>
}

/** Waits until nothing is under way, reads what must be read while processes run, then has them all stop. */
export async function gatherEvidence({ fleet, answers, secrets, spans }: Scene): Promise<Evidence> {
  const { violations } = await ledgerAtRest(fleet, fleet.workspace)
  const billed = await readBilled(fleet)
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
  return { answers, billed, providerCalls, violations, exits, openConnections, leaks: findLeaks(secrets, places) }
}

/** Every request of the workspace that money was held for. */
export async function readBilled(fleet: Fleet): Promise<readonly BilledRequest[]> {
  const { rows } = await withPool(fleet, (pool) =>
    pool.query(
      `SELECT request_id, state, coalesce(cost, 0) AS cost, extract(epoch FROM opened_at) * 1000 AS opened
         FROM billing_request WHERE wallet_id = $1 AND kind = 'chat'`,
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

async function readProviderCalls({ provider }: Fleet): Promise<readonly ProviderCall[]> {
  const { requests } = await provider.report()
  return requests.map(({ parameters: { user }, started_at_ms: startedAtMs }) => ({
    tag: typeof user === 'string' ? user : null,
    startedAtMs,
  }))
}

/** Asks what still runs to stop, what stands before the rest first, and says how each ended. */
async function stopAll(processes: readonly FleetProcess[]): Promise<readonly ProcessExit[]> {
  const exits: ProcessExit[] = []
  for (const process of [...processes].reverse()) {
    const wasAsked = !(await hasEnded(process))
    if (wasAsked) await process.stop()
    exits.push({ name: process.name, wasAsked, ...(await process.exited) })
  }
  return exits
}

async function hasEnded({ exited }: FleetProcess): Promise<boolean> {
  return Promise.race([exited.then(() => true), sleep(0, false)])
}

/** Closed sockets take a moment to be seen. */
async function connectionsLeft({ postgres, redis }: Fleet): Promise<number> {
  const deadline = performance.now() + 2_000
  while (postgres.connections + redis.connections > 0 && performance.now() < deadline) await sleep(20)
  return postgres.connections + redis.connections
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
