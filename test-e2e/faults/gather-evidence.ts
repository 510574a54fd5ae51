import { setTimeout as sleep } from 'node:timers/promises'
import type { OtlpCapture } from '@ratchet/testing/otlp-capture'
import pg from 'pg'
import type { Fleet, FleetProcess } from '../fleet.ts'
import { booksAtRest } from '../ledger-oracle.ts'
import { everyRedisValue } from '../stored-texts.ts'
import type { Answer, BilledRequest, Evidence, ProviderCall } from './evidence.ts'

export interface Scene {
  readonly fleet: Fleet
  readonly answers: readonly Answer[]
  /** By what they are called in a report. */
  readonly secrets: ReadonlyMap<string, string>
  readonly spans: Pick<OtlpCapture, 'text'>
}

/** Waits until nothing is under way, reads what must be read while processes run, then has them all stop. */
export async function gatherEvidence({ fleet, answers, secrets, spans }: Scene): Promise<Evidence> {
  const { violations } = await booksAtRest(fleet, fleet.workspace)
  const billed = await readBilled(fleet)
  const providerCalls = await readProviderCalls(fleet)
  const redis = await everyRedisValue(fleet.redisUrl)
  const exits = await stopAll(fleet.processes)
  const places = new Map([
    ...fleet.processes.map(({ name, log }) => [`the log of ${name}`, log.join('\n')] as const),
    ['Redis', redis.join('\n')],
    ['Postgres', await everyRow(fleet.databaseUrl)],
    ['exported spans', spans.text()],
  ])
  const openConnections = await connectionsLeft(fleet)
  return { answers, billed, providerCalls, violations, exits, openConnections, leaks: findLeaks(secrets, places) }
}

/** Every request of the workspace that money was held for. */
export async function readBilled({ databaseUrl, workspace }: Fleet): Promise<readonly BilledRequest[]> {
  const { rows } = await query(
    databaseUrl,
    `SELECT request_id, state, coalesce(cost, 0) AS cost, extract(epoch FROM opened_at) * 1000 AS opened
       FROM billing_request WHERE wallet_id = $1 AND kind = 'chat'`,
    [workspace.workspaceId],
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
async function stopAll(processes: readonly FleetProcess[]): Promise<Evidence['exits']> {
  const exits: Evidence['exits'][number][] = []
  for (const process of [...processes].reverse()) {
    if (await hasEnded(process)) continue
    await process.stop()
    exits.push({ name: process.name, ...(await process.exited) })
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

/** Every row of every table, whoever writes to it. */
async function everyRow(databaseUrl: string): Promise<string> {
  const { rows: tables } = await query(
    databaseUrl,
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await query(databaseUrl, `SELECT t::text AS row FROM ${name} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}

async function query(connectionString: string, text: string, values: readonly unknown[] = []) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    // biome-ignore lint/suspicious/noExplicitAny: rows are read as their query names them
    return await client.query<any>(text, [...values])
  } finally {
    await client.end()
  }
}
