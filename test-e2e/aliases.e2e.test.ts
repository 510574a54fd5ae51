import { connectPrisma } from '@ratchet/db/connect'
import { setRole } from '@ratchet/db/operator'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { untilInForce } from './alias-propagation.ts'
import { openaiFor, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, type Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let workspace: DemoWorkspace
let api: Api

beforeAll(async () => {
  fleet = await startFleet({ edges: 2, inferences: 2, aliases: true })
  workspace = await workspaceWith(fleet, { loggingEnabled: true, responseCache: false })
  api = apiOf(fleet, workspace)
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

interface Asked {
  readonly edge?: number
  readonly stream?: boolean
  readonly headers?: Record<string, string>
  readonly content?: string
}

async function ask(model: string, { edge = 0, stream = false, headers = {}, content = 'Hi.' }: Asked = {}) {
  const { apiKey } = workspace
  const url = fleet.edges[edge]?.url ?? fleet.url
  const response = await postChat(fleet, { model, apiKey, url, stream, headers, content, body: { max_tokens: 64 } })
  const text = await response.text()
  return {
    status: response.status,
    text,
    alias: response.headers.get('x-svc-alias'),
    served: response.headers.get('x-svc-served-model'),
    cache: response.headers.get('x-svc-cache'),
    costUsd: Number(response.headers.get('x-svc-cost-usd')),
  }
}

let refusedBusy = 0

/** Like the SDKs, again after a 503, which a busy machine answers before anything is counted. */
function askAgain(model: string, asked: Asked) {
  return eventually(
    async () => {
      const answer = await ask(model, asked)
      if (answer.status !== 503) return answer
      refusedBusy += 1
      return null
    },
    { withinMs: 15_000, everyMs: 500 },
  )
}

async function put(alias: object): Promise<Json> {
  const { status, json, text } = await api('PUT', '/aliases', alias)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return json
}

/** Milliseconds until every process answers requests to an alias with this model. */
async function untilServed(name: string, model: string, since: number): Promise<number> {
  await Promise.all(
    [0, 1].map((edge) =>
      eventually(async () => (await ask(name, { edge })).served === model, { withinMs: 45_000, everyMs: 20 }),
    ),
  )
  return performance.now() - since
}

it('routes to the target, and names it in plain answers, streams, cache hits and replays', async () => {
  await put({ name: 'plain', target_model: 'sim/large' })
  await untilServed('plain', 'sim/large', performance.now())
  const named = { alias: 'plain', served: 'sim/large', status: 200 }
  expect(await ask('plain')).toMatchObject(named)
  expect(await ask('plain', { stream: true })).toMatchObject(named)
  const cached = { headers: { 'x-svc-cache': 'on' }, content: 'Cached?' }
  expect(await ask('plain', cached)).toMatchObject({ ...named, cache: 'miss' })
  expect(await ask('plain', cached)).toMatchObject({ ...named, cache: 'hit' })
  expect(await ask('plain', { ...cached, stream: true })).toMatchObject({ ...named, cache: 'hit' })
  const keyed = { headers: { 'idempotency-key': 'once' }, content: 'Once?' }
  const first = await ask('plain', keyed)
  expect(await ask('plain', keyed)).toMatchObject({ ...named, text: first.text })
  expect(await ask('sim/large')).toMatchObject({ alias: null, served: 'sim/large' })
})

it('works with the OpenAI SDK, and charges the price of the model that answered', async () => {
  await put({ name: 'priced', target_model: 'sim/large' })
  await untilServed('priced', 'sim/large', performance.now())
  const client = openaiFor(fleet, { apiKey: workspace.apiKey })
  const messages = [{ role: 'user' as const, content: 'What does this cost?' }]
  const byName = await client.chat.completions.create({ model: 'priced', messages })
  expect(byName.choices[0]?.message.content).not.toBe('')
  const content = 'What does that cost?'
  const [aliased, direct] = [await ask('priced', { content }), await ask('sim/large', { content })]
  expect(aliased.costUsd).toBe(direct.costUsd)
  expect(aliased.costUsd).toBeGreaterThan(0)
})

it('is applied by every process within two seconds, also without Redis and after a freeze of a process', async () => {
  await put({ name: 'moved', target_model: 'sim/large' })
  expect(await untilServed('moved', 'sim/large', performance.now())).toBeLessThan(10_000)
  for (const target of ['sim/medium', 'sim/small']) {
    const since = performance.now()
    await put({ name: 'moved', target_model: target })
    expect(await untilServed('moved', target, since)).toBeLessThan(2_000)
  }
  await fleet.redis.refuse()
  const since = performance.now()
  await put({ name: 'moved', target_model: 'sim/large' })
  expect(await untilServed('moved', 'sim/large', since)).toBeLessThan(2_000)
  await fleet.redis.restore()
  await put({ name: 'moved', target_model: 'sim/medium' })
  fleet.inference.signal('SIGKILL')
  await fleet.inference.exited
  await fleet.restartInference()
  expect((await ask('moved')).served).toBe('sim/medium')
}, 180_000)

it('answers a deleted name like an unknown model', async () => {
  await put({ name: 'deleted', target_model: 'sim/large' })
  await untilServed('deleted', 'sim/large', performance.now())
  expect((await api('DELETE', '/aliases/deleted')).json).toEqual({ name: 'deleted', deleted: true })
  const since = performance.now()
  const gone = await eventually(
    async () => {
      const answer = await ask('deleted')
      return answer.status === 200 ? null : answer
    },
    { withinMs: 45_000, everyMs: 20 },
  )
  expect(performance.now() - since).toBeLessThan(2_000)
  expect(gone).toMatchObject({ status: 404, alias: null })
  expect(JSON.parse(gone.text).error.code).toBe('model_not_found')
})

it('splits by the percentage, exactly for 0 and 100, and the gate counts every answer', async () => {
  await put({ name: 'split', target_model: 'sim/small', canary_model: 'sim/echo', canary_percent: 20 })
  await untilServed('split', 'sim/small', performance.now())
  await untilInForce(api, 'split')
  const before = (await api('GET', '/aliases/split/gate')).json.arms
  const served: Record<string, number> = { 'sim/small': 0, 'sim/echo': 0 }
  const count = 1_500
  for (let from = 0; from < count; from += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, each) => askAgain('split', { edge: each % 2 })))
    for (const { served: model, status } of answers) {
      expect(status).toBe(200)
      served[model ?? ''] = (served[model ?? ''] ?? 0) + 1
    }
  }
  expect(refusedBusy).toBeLessThan(count / 100)
  expect(Object.keys(served)).toHaveLength(2)
  // Five standard deviations in each direction.
  const spread = 5 * Math.sqrt(count * 0.2 * 0.8)
  expect(Math.abs((served['sim/echo'] ?? 0) - count * 0.2)).toBeLessThan(spread)
  await eventually(
    async () => {
      const { arms } = (await api('GET', '/aliases/split/gate')).json
      expect(arms.target.served - before.target.served).toBe(served['sim/small'])
      expect(arms.canary.served - before.canary.served).toBe(served['sim/echo'])
    },
    { withinMs: 45_000, everyMs: 200 },
  )
  for (const [percent, model] of [
    [100, 'sim/echo'],
    [0, 'sim/small'],
  ] as const) {
    await put({ name: 'split', target_model: 'sim/small', canary_model: 'sim/echo', canary_percent: percent })
    await untilInForce(api, 'split', 2_000)
    const answers = await Promise.all(Array.from({ length: 60 }, (_, each) => askAgain('split', { edge: each % 2 })))
    expect(new Set(answers.map((answer) => answer.served))).toEqual(new Set([model]))
  }
}, 300_000)

it('assigns all requests of a trace to one arm if requested', async () => {
  await put({
    name: 'sticky',
    target_model: 'sim/small',
    canary_model: 'sim/echo',
    canary_percent: 50,
    sticky_by: 'trace',
  })
  await eventually(async () => (await ask('sticky')).status === 200, { withinMs: 45_000 })
  await untilInForce(api, 'sticky', 2_000)
  const arms = new Set<string>()
  for (let trace = 0; trace < 20; trace += 1) {
    const headers = { 'x-svc-trace-id': `run-${trace}` }
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, each) => ask('sticky', { headers, edge: each % 2 })),
    )
    const models = new Set(answers.map(({ served }) => served))
    expect(models.size).toBe(1)
    arms.add([...models].join())
  }
  expect(arms.size).toBe(2)
}, 180_000)

it('fails no request and uses only the two models while its target changes under load', async () => {
  const models = ['sim/small', 'sim/echo']
  await put({ name: 'busy', target_model: models[0] })
  await untilServed('busy', 'sim/small', performance.now())
  const statuses = new Map<number, number>()
  const served = new Set<string | null>()
  let isOver = false
  const client = async (edge: number) => {
    while (!isOver) {
      const answer = await ask('busy', { edge })
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      served.add(answer.served)
    }
  }
  const clients = Array.from({ length: 24 }, (_, index) => client(index % 2))
  const answered = () => [...statuses.values()].reduce((sum, count) => sum + count, 0)
  for (let turn = 1; turn <= 40; turn += 1) {
    const before = answered()
    await put({ name: 'busy', target_model: models[turn % 2] ?? '' })
    await eventually(() => answered() >= before + 30, { withinMs: 45_000 })
  }
  isOver = true
  await Promise.all(clients)
  expect([...statuses.keys()]).toEqual([200])
  expect(statuses.get(200)).toBeGreaterThan(1_000)
  expect(served).toEqual(new Set(models))
}, 180_000)

it('belongs to one workspace, and a member can only read it', async () => {
  const { workspaceId, userId } = workspace
  const asMember = async (role: 'member' | 'owner') => {
    const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
    await setRole(db, { workspaceId, userId, role, at: new Date() })
    await db.$disconnect()
  }
  await put({ name: 'secret', target_model: 'sim/large' })
  await untilServed('secret', 'sim/large', performance.now())
  const outsider = await workspaceWith(fleet)
  const response = await postChat(fleet, { model: 'secret', apiKey: outsider.apiKey })
  expect(response.status).toBe(404)
  await asMember('member')
  expect((await api('GET', '/aliases/secret')).status).toBe(200)
  const refused = await api('PUT', '/aliases', { name: 'secret', target_model: 'sim/small' })
  expect([refused.status, refused.json.error.code]).toEqual([403, 'insufficient_permissions'])
  expect((await api('DELETE', '/aliases/secret')).status).toBe(403)
  expect((await api('POST', '/aliases/secret/rollback')).status).toBe(403)
  await asMember('owner')
})

it('is in the log with its name and arm', async () => {
  const { json } = await api('GET', '/logs?alias=split&canary=true&limit=1&content=none')
  expect(json.data[0]).toMatchObject({
    alias: 'split',
    canary: true,
    served_model: 'sim/echo',
    requested_model: 'split',
  })
})

it('leaves a correct ledger', async () => {
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({ held: 0n, violations: [] })
}, 300_000)
