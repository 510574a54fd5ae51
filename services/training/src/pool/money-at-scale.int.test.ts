import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { signIdentity } from '@ratchet/service-kit/identity/identity'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { type LedgerProcess, startLedgerProcess } from '../money/ledger-process.fixture.ts'
import { createPgPool } from './pg-pool.ts'
import type { PoolPlace, PoolStore } from './pool-store.ts'

/* A thousand versions of twenty workspaces on a hundred engines that fail and come back, with a real ledger. */

const workspaceCount = 20
const versionCount = 1_000
const replicaCount = 100
const requestCount = 1_500
const inFlight = 8
const creditNano = 10n ** 12n
/** Of `sim/small`: a token of a question, and one of an answer, nano-dollars. */
const [inputNano, outputNano] = [100n, 400n]

interface Version {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly adapter: string
}

/** An engine as requests see it. */
interface Engine {
  readonly name: string
  readonly server: Server
  readonly address: string
  readonly loaded: Set<string>
  isDown: boolean
}

let database: FreshDatabase
let operator: Pool
let pool: Pool
let store: PoolStore
let ledger: LedgerProcess
let engines: readonly Engine[]
let versions: readonly Version[]
const workspaceIds = Array.from({ length: workspaceCount }, () => randomUUID())
const random = seededRandom(21)
const below = (count: number) => Math.floor(random() * count)
/** Questions that engines have answered, whether or not the answer was received. */
let answered = 0

/** vLLM's chat, which answers with the name of the adapter. Some connections break before or after the answer is made. */
async function answer(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model } = (await json(request)) as { readonly model: string }
  if (engine.isDown || random() < 0.03) return void request.socket.destroy()
  if (!engine.loaded.has(model)) return void response.writeHead(404).end('{}')
  answered += 1
  const usage = { prompt_tokens: 1 + below(400), completion_tokens: 1 + below(200) }
  const choices = [{ index: 0, message: { role: 'assistant', content: model }, finish_reason: 'stop' }]
  const body = { id: 'c', object: 'chat.completion', created: 1, model, choices, usage: { ...usage, total_tokens: 0 } }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function startEngine(index: number): Promise<Engine> {
  const server = createServer((request, response) => void answer(engine, request, response).catch(() => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const engine: Engine = { name: `pool-${index}`, server, address, loaded: new Set(), isDown: false }
  return engine
}

const placeOf = (engine: Engine, version: Version): PoolPlace => ({ replica: engine.name, version })

async function load(engine: Engine, version: Version): Promise<void> {
  await store.load(placeOf(engine, version))
  engine.loaded.add(version.adapter)
  await store.prove(placeOf(engine, version), engine.address)
}

async function startInPool(engine: Engine, mine: readonly Version[]): Promise<void> {
  await store.startReplica(engine.name, engine.address, [])
  engine.isDown = false
  for (const version of mine) await load(engine, version)
}

/** Each version is in two engines. */
const versionsOf = (index: number) => versions.filter((_, each) => (each - index) % (replicaCount / 2) === 0)

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 4 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 4 })
  store = createPgPool(pool)
  // The simulated provider is not there: only the prices of its models are used.
  ledger = await startLedgerProcess(database.url, {
    SIMULATED_PROVIDER_URL: 'http://127.0.0.1:9',
    POOL_MAX_WAIT_MS: '200',
  })
  for (const id of workspaceIds) await ledger.addWallet(id, creditNano)
  const { rows } = await operator.query(
    `WITH made AS (
       INSERT INTO model_version (id, workspace_id, name, base_model, produced_by, rewarded, manifest, sha256, bytes, created_by,
         created_at)
       SELECT gen_random_uuid(), ($1::uuid[])[1 + n % $2], 'ft:sim/small:team:v' || n || ':' || n, 'sim/small', 'import', false,
         '[]', '', 0, ($1::uuid[])[1], now() FROM generate_series(0, $3 - 1) AS n RETURNING id, workspace_id, name
     )
     INSERT INTO pool_version (version_id, workspace_id, base_model, adapter, state, requested_at, requested_by)
     SELECT id, workspace_id, 'sim/small', 'mv_' || id, 'ready', now(), workspace_id FROM made
     RETURNING version_id AS id, workspace_id AS "workspaceId", adapter, (SELECT name FROM made WHERE made.id = version_id) AS name`,
    [workspaceIds, workspaceCount, versionCount],
  )
  versions = rows
  engines = await Promise.all(Array.from({ length: replicaCount }, (_, index) => startEngine(index)))
  for (const [index, engine] of engines.entries()) {
    await store.addReplica({ name: engine.name, baseModel: 'sim/small' })
    await startInPool(engine, versionsOf(index))
  }
}, 90_000)
afterAll(async () => {
  await ledger?.stop()
  for (const { server } of engines ?? []) {
    server.closeAllConnections()
    server.close()
  }
  await Promise.all([pool.end(), operator.end()])
  await database.drop()
})

interface Reply {
  readonly choices: readonly [{ readonly message: { readonly content: string } }]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

interface Answered {
  readonly version: Version
  readonly content: string
  readonly costNano: bigint
}

/** Whole micro-dollars, rounded up once. */
function costOf({ prompt_tokens: prompt, completion_tokens: completion }: Reply['usage']): bigint {
  return ((BigInt(prompt) * inputNano + BigInt(completion) * outputNano + 999n) / 1_000n) * 1_000n
}

/** Asks until it is answered, under the same key, as a client that repeats what has failed. */
async function ask(version: Version): Promise<Answered> {
  const path = '/v1/chat/completions'
  const key = randomUUID()
  const { workspaceId } = version
  const identity = { workspaceId, userId: workspaceId, keyId: workspaceId, role: 'owner' as const }
  return eventually(async () => {
    const requestId = randomUUID()
    const bound = { audience: 'inference', requestId, method: 'POST', path }
    const reply = await fetch(ledger.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        [requestIdHeader]: requestId,
        [identityHeader]: signIdentity(ledger.key, bound, identity, Date.now()),
      },
      body: JSON.stringify({ model: version.name, messages: [{ role: 'user', content: 'Who?' }] }),
    })
    expect(reply.status).toBe(200)
    const { choices, usage } = (await reply.json()) as Reply
    return { version, content: choices[0].message.content, costNano: costOf(usage) }
  })
}

/** Engines are lost and come back, and adapters leave them and return, while requests go on. */
async function disturbUntil(isOver: () => boolean): Promise<number> {
  let lost = 0
  while (!isOver()) {
    const index = below(replicaCount)
    const engine = engines[index] as Engine
    const mine = versionsOf(index)
    if (random() < 0.5) {
      engine.isDown = true
      engine.loaded.clear()
      engine.server.closeAllConnections()
      lost += 1
      await store.loseReplica(engine.name)
      await startInPool(engine, mine)
      continue
    }
    const version = mine[below(mine.length)] as Version
    await store.leave(placeOf(engine, version))
    engine.loaded.delete(version.adapter)
    await store.unloaded(placeOf(engine, version))
    await load(engine, version)
  }
  return lost
}

it('charges each answer of a thousand versions once, to the nano-dollar, and none is of another version', async () => {
  const answers: Answered[] = []
  let asked = 0
  const disturbed = disturbUntil(() => answers.length === requestCount)
  const client = async () => {
    while (asked < requestCount) {
      const version = versions[asked++ % versionCount] as Version
      answers.push(await ask(version))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, client))
  const lost = await disturbed
  expect(answers.filter(({ version, content }) => content !== version.adapter)).toEqual([])
  expect(new Set(answers.map(({ version }) => version.id)).size).toBe(versionCount)
  await eventually(async () => {
    for (const id of workspaceIds) {
      const { rows } = await operator.query('SELECT balance FROM wallet_now WHERE workspace_id = $1', [id])
      const own = answers.filter(({ version }) => version.workspaceId === id)
      expect(creditNano - BigInt(rows[0].balance)).toBe(own.reduce((sum, { costNano }) => sum + costNano, 0n))
    }
  })
  expect((await auditLedger(operator)).violations).toEqual([])
  expect(lost).toBeGreaterThan(20)
  expect(answered).toBeGreaterThanOrEqual(requestCount)
})
