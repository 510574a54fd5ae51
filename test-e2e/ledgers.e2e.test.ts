import { execFile } from 'node:child_process'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { compileCache } from './compile-cache.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres } from './faults/own-stores.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { ledgerAtRest, readLedger } from './ledger-oracle.ts'

const bin = path.join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'ratchet.mjs')

const stops: (() => Promise<unknown>)[] = []
let postgres: OwnPostgres
let ledgerUrl: string
let fleet: Fleet
beforeAll(async () => {
  postgres = await ownPostgres((stop) => stops.push(stop))
  ledgerUrl = await migratedDatabase(postgres)
  fleet = await startFleet({ env: { LEDGER_DATABASE_URLS: `b=${ledgerUrl}` } })
}, 300_000)
afterAll(async () => {
  await fleet.stop()
  for (const stop of stops.reverse()) await stop()
})

/** Runs `ratchet admin` on the fleet's databases. */
function admin(line: string): Promise<Record<string, unknown>> {
  const { PATH } = process.env
  const env = { PATH, ...compileCache, DATABASE_URL: fleet.databaseUrl, LEDGER_DATABASE_URLS: `b=${ledgerUrl}` }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [bin, 'admin', ...line.split(' '), '--json'], { env }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout))
      else reject(new Error(`${line}: ${stderr}`))
    })
  })
}

async function addWorkspace(slug: string, creditUsd: string): Promise<{ workspaceId: string; apiKey: string }> {
  const email = `${slug}@example.com`
  const line = `create-workspace --slug ${slug} --name ${slug} --ledger b --owner-email ${email} --credit-usd ${creditUsd}`
  const { id } = await admin(line)
  const { key } = await admin(`create-key --workspace ${slug} --email ${email}`)
  return { workspaceId: String(id), apiKey: String(key) }
}

const statusesOf = async (calls: number, call: Parameters<typeof postChat>[1]) =>
  (await Promise.all(Array.from({ length: calls }, () => postChat(fleet, call)))).map(({ status }) => status)

it('refuses in a second ledger exactly what its wallet does not cover', async () => {
  const { apiKey } = await addWorkspace('poor', '0.000001')
  const response = await postChat(fleet, { model: 'sim/echo', apiKey })
  expect([response.status, await response.json()]).toMatchObject([402, { error: { code: 'insufficient_balance' } }])
}, 180_000)

it('serves the workspaces of one ledger while the server of the other is down, and loses no charge', async () => {
  const inOther = await addWorkspace('acme', '10')
  const echo = { model: 'sim/echo' }
  const theirs = { ...echo, apiKey: inOther.apiKey }
  expect(await statusesOf(4, echo)).toEqual([200, 200, 200, 200])
  expect(await statusesOf(4, theirs)).toEqual([200, 200, 200, 200])
  const stream = await postChat(fleet, {
    ...theirs,
    model: 'sim/pace-200',
    stream: true,
    body: { max_tokens: 10 },
  })
  await postgres.kill()

  expect(await statusesOf(10, echo)).toEqual(Array(10).fill(200))
  const refused = await postChat(fleet, theirs)
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'service_unavailable' } }])
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect([stream.status, await stream.text()]).toEqual([200, expect.stringMatching(/\[DONE\]\s*$/)])

  await postgres.start()
  await eventually(async () => (await postChat(fleet, theirs)).status === 200, { withinMs: 45_000 })
  const there = await ledgerAtRest({ databaseUrl: ledgerUrl }, inOther)
  expect(there).toMatchObject({ posted: 6, violations: [] })
  expect(await ledgerAtRest(fleet, fleet.workspace)).toMatchObject({ posted: 14, violations: [] })
  await expect(readLedger(fleet.databaseUrl, inOther.workspaceId)).resolves.toMatchObject({ posted: 0 })
  expect(await admin('audit')).toMatchObject({ ok: true, ledgers: [{ ledger: 'main' }, { ledger: 'b' }] })
}, 300_000)
