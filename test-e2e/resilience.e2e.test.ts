import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { eventually } from '@ratchet/testing/eventually'
import { type ChatCall, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let catalog: MountedCatalog
/** Two deployments of `pair/echo`; the first has three quarters of the weight. */
let places: [SimulatedProvider, SimulatedProvider]

beforeAll(async () => {
  places = [await startSimulatedProvider(), await startSimulatedProvider()]
  const [first, second] = places.map(({ baseUrl }) => `${baseUrl}/v1`) as [string, string]
  const anonymous = `http://127.0.0.1:${await anyFreePort()}/v1`
  catalog = await mountedCatalog({
    providers: [
      { id: 'pair', base_url: first },
      { id: 'down', base_url: anonymous },
    ],
    models: [
      {
        id: 'pair/echo',
        deployments: [
          { id: 'first', base_url: first, weight: 3 },
          { id: 'second', base_url: second, weight: 1 },
        ],
      },
      { id: 'pair/picky', unsupported_parameters: ['temperature'] },
      { id: 'pair/narrow', upstream_model: 'sim/slow-400', deployments: [{ id: 'only', max_concurrency: 2 }] },
      {
        id: 'pair/wide',
        upstream_model: 'sim/slow-400',
        deployments: [
          { id: 'narrow', base_url: first, weight: 1_000, max_concurrency: 2 },
          { id: 'spare', base_url: second, weight: 0.001 },
        ],
      },
      { id: 'down/echo' },
    ],
  })
  fleet = await startFleet({ env: { CATALOG_DIR: catalog.folder, UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '5000' } })
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  for (const place of places ?? []) await place.stop()
  await catalog?.remove()
}, 180_000)

beforeEach(async () => {
  for (const provider of [fleet.provider, ...places]) await provider.reset()
})

async function ask(call: ChatCall) {
  const response = await postChat(fleet, call)
  const text = await response.text()
  const header = (name: string) => response.headers.get(name)
  return {
    status: response.status,
    text,
    error: response.ok ? null : JSON.parse(text).error,
    served: header('x-svc-served-model'),
    fallbackFrom: header('x-svc-fallback-from'),
    costUsd: Number(header('x-svc-cost-usd')),
    retryAfter: header('retry-after'),
    requestId: header('x-request-id'),
  }
}

async function callsOf(model: string): Promise<number> {
  return (await fleet.provider.report({ model })).requests.length
}

function ledgerState(workspaceId = fleet.workspace.workspaceId) {
  return readLedger(fleet.databaseUrl, workspaceId)
}

/** Reads a stream until its connection breaks. */
async function readUntilBroken(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let seen = ''
  const reading = (async () => {
    for await (const chunk of response.body ?? []) seen += decoder.decode(chunk, { stream: true })
  })()
  await expect(reading).rejects.toThrow()
  return seen
}

describe('ordered fallback', () => {
  it.each([
    ['says 503', 'sim/fail-503'],
    ['hangs up', 'sim/hangup'],
    ['refuses our key', 'sim/fail-401'],
    ['cannot be reached', 'down/echo'],
    ['is silent until its time is over', 'sim/slow-8000'],
    ['says 429', 'sim/fail-429'],
  ])('continues with the next model when the first one %s, and charges the price of the next', async (_name, model) => {
    const before = await ledgerState()
    const answer = await ask({ model, body: { models: ['sim-anthropic/large'], max_tokens: 50 } })
    const after = await ledgerState()
    expect(answer).toMatchObject({ status: 200, served: 'sim-anthropic/large', fallbackFrom: model })
    const { usage } = JSON.parse(answer.text)
    expect(answer.costUsd).toBeCloseTo((usage.prompt_tokens * 2.5 + usage.completion_tokens * 10) / 1e6, 5)
    expect(before.balance - after.balance).toBe(BigInt(Math.round(answer.costUsd * 1e6)) * 1_000n)
    expect(after).toMatchObject({ held: 0n, violations: [] })
  })

  it('does the same for a stream, whose headers name the model', async () => {
    const answer = await ask({ model: 'sim/fail-503', stream: true, body: { models: ['sim/echo'] } })
    expect(answer).toMatchObject({ status: 200, served: 'sim/echo', fallbackFrom: 'sim/fail-503' })
    expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('has no fallback header when the first model answers', async () => {
    expect(await ask({ model: 'sim/echo', body: { models: ['sim/small'] } })).toMatchObject({
      status: 200,
      served: 'sim/echo',
      fallbackFrom: null,
    })
    expect(await callsOf('sim/small')).toBe(0)
  })

  it('uses the models of the list in order when there is no `model`', async () => {
    const models = ['sim/fail-500', 'down/echo', 'sim/echo', 'sim/small']
    const answer = await ask({ model: 'sim/fail-500', body: { model: undefined, models } })
    expect(answer).toMatchObject({ status: 200, served: 'sim/echo', fallbackFrom: 'sim/fail-500' })
    expect(await callsOf('sim/small')).toBe(0)
  })

  it('is a 502 with the request id, without a charge, when all models fail', async () => {
    const before = await ledgerState()
    const answer = await ask({ model: 'sim/fail-503', body: { models: ['sim/fail-500', 'down/echo'] } })
    expect(answer).toMatchObject({ status: 502, error: { type: 'upstream_error', code: null } })
    expect(answer.error.message).toContain(answer.requestId)
    expect(answer.error.request_id).toBe(answer.requestId)
    expect(await ledgerState()).toMatchObject({
      balance: before.balance,
      held: 0n,
      posted: before.posted,
      violations: [],
    })
  })

  it('does not call other models for a request that the first one refuses', async () => {
    const answer = await ask({ model: 'sim/fail-400', body: { models: ['sim/echo'] } })
    expect(answer).toMatchObject({ status: 400, error: { code: 'invalid_request' } })
    expect([await callsOf('sim/fail-400'), await callsOf('sim/echo')]).toEqual([1, 0])
  })

  it.each([
    ['a model that there is not', ['sim/none'], { status: 404, error: { code: 'model_not_found', param: 'model' } }],
    ['a provider that has no key', ['openai/gpt-4o-mini'], { status: 400, error: { code: 'unknown_provider' } }],
    ['a model for something else', ['sim/embed'], { status: 400, error: { code: 'invalid_request', param: 'model' } }],
    ['no list at all', 'sim/echo', { status: 400, error: { code: 'invalid_request', param: 'models' } }],
  ])('refuses a list that names %s before any call', async (_name, models, requested) => {
    expect(await ask({ model: 'sim/echo', body: { models, temperature: 0.5 } })).toMatchObject(requested)
    expect(await callsOf('sim/echo')).toBe(0)
  })
})

describe('the fallback of a workspace', () => {
  it('is used for a request that names none, and unsuitable models are skipped', async () => {
    const { apiKey } = await workspaceWith(fleet, {
      fallbackModels: ['sim/gone', 'openai/gpt-4o-mini', 'sim/embed', 'sim/fail-503', 'sim/echo'],
    })
    const body = { temperature: 0.5 }
    const answer = await ask({ apiKey, model: 'sim/fail-500', body })
    expect(answer).toMatchObject({ status: 200, served: 'sim/echo', fallbackFrom: 'sim/fail-500' })
    const own = await ask({ apiKey, model: 'sim/fail-500', body: { ...body, models: ['sim/small'] } })
    expect(own).toMatchObject({ status: 200, served: 'sim/small' })
  })

  it('answers without a parameter that it does not have', async () => {
    const { apiKey } = await workspaceWith(fleet, { fallbackModels: ['pair/picky'] })
    const answer = await ask({ apiKey, model: 'sim/fail-500', body: { temperature: 0.5 } })
    expect(answer).toMatchObject({ status: 200, served: 'pair/picky', fallbackFrom: 'sim/fail-500' })
  })
})

describe('a provider that disconnects', () => {
  it.each(['sim/cut-900', 'sim/malformed', 'sim/errorframe'])(
    'inside its stream is not called again: %s',
    async (model) => {
      const before = await ledgerState()
      const response = await postChat(fleet, { model, stream: true, body: { models: ['sim/echo'] } })
      expect(response.status).toBe(200)
      const seen = await readUntilBroken(response)
      expect(seen).toContain('data: {"error":')
      expect(seen).not.toContain('[DONE]')
      expect([await callsOf(model), await callsOf('sim/echo')]).toEqual([1, 0])
      await eventually(async () => expect(await ledgerState()).toMatchObject({ balance: before.balance, held: 0n }))
    },
  )

  it('inside its unstreamed answer is not called again either, because it may have charged', async () => {
    const answer = await ask({ model: 'sim/cut-40', body: { models: ['sim/echo'] } })
    expect(answer).toMatchObject({ status: 502, error: { type: 'upstream_error' } })
    expect([await callsOf('sim/cut-40'), await callsOf('sim/echo')]).toEqual([1, 0])
  })
})

describe('retries', () => {
  it('happen twice before the first byte, plain and streamed', async () => {
    for (const stream of [false, true]) {
      await fleet.provider.script({ model: 'sim/echo', behaviour: 'fail-503', count: 2 })
      expect(await ask({ model: 'sim/echo', stream })).toMatchObject({ status: 200, fallbackFrom: null })
    }
    expect(await callsOf('sim/echo')).toBe(6)
    await fleet.provider.script({ model: 'sim/echo', behaviour: 'fail-503', count: 3 })
    expect(await ask({ model: 'sim/echo' })).toMatchObject({ status: 502 })
    expect(await callsOf('sim/echo')).toBe(9)
  })

  it('wait for the time in Retry-After', async () => {
    await fleet.provider.script({ model: 'sim/echo', behaviour: 'fail-429' })
    expect(await ask({ model: 'sim/echo' })).toMatchObject({ status: 200 })
    const { requests } = await fleet.provider.report({ model: 'sim/echo' })
    const [refused, tried] = requests.map((each) => each.started_at_ms)
    expect(requests).toHaveLength(2)
    expect(Number(tried) - Number(refused)).toBeGreaterThanOrEqual(1_000)
  })

  it('are at most a fifth of the traffic in an outage', async () => {
    const calls = 60
    const answers = await Promise.all(Array.from({ length: calls }, () => ask({ model: 'sim/fail-503' })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]))
    const made = await callsOf('sim/fail-503')
    expect(made).toBeGreaterThan(calls)
    expect(made).toBeLessThan(1.5 * calls)
  })
})

describe('several deployments', () => {
  const callPair = () => ask({ model: 'pair/echo' })
  const callsAt = async (place: SimulatedProvider) => (await place.report()).totals.requests

  it('receive traffic by their weights', async () => {
    for (let i = 0; i < 8; i++) await Promise.all(Array.from({ length: 25 }, callPair))
    const shares = [await callsAt(places[0]), await callsAt(places[1])]
    // Of 200 draws 150 ± 6.1: five standard deviations in each direction.
    expect(shares[0]).toBeGreaterThan(119)
    expect(shares[0]).toBeLessThan(181)
    expect(Number(shares[0]) + Number(shares[1])).toBe(200)
  })

  it('replace a dead one, which is ejected after five failures and used again when it works', async () => {
    const [dying, other] = places
    const { port } = dying
    await dying.stop()
    const during: unknown[] = []
    for (let i = 0; i < 20; i++) during.push(...(await Promise.all([callPair(), callPair()])))
    expect(during).toEqual(during.map(() => expect.objectContaining({ status: 200, served: 'pair/echo' })))
    expect(fleet.inference.log.filter((line) => line.includes('"deployment":"pair/echo@first"'))).toHaveLength(1)
    places[0] = await startSimulatedProvider({ port })
    await other.stop()
    await eventually(async () => (await callPair()).status === 200)
    for (let i = 0; i < 5; i++) expect(await callPair()).toMatchObject({ status: 200 })
    expect(await callsAt(places[0])).toBeGreaterThan(5)
    places[1] = await startSimulatedProvider({ port: other.port })
  })
})

describe('a deployment with room for two calls', () => {
  it('refuses the third at once, with Retry-After', async () => {
    const startedAt = performance.now()
    const calls = Array.from({ length: 3 }, async () => ({
      ...(await ask({ model: 'pair/narrow' })),
      ms: performance.now() - startedAt,
    }))
    const answers = (await Promise.all(calls)).sort((a, b) => a.status - b.status)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503])
    expect(answers[2]).toMatchObject({ error: { code: 'service_unavailable' }, retryAfter: '1' })
    expect(Number(answers[2]?.ms)).toBeLessThan(Number(answers[0]?.ms))
    expect(await ask({ model: 'pair/narrow' })).toMatchObject({ status: 200 })
  })

  it('passes the third to another deployment, or to the next model', async () => {
    const wide = await Promise.all(Array.from({ length: 4 }, () => ask({ model: 'pair/wide' })))
    expect(wide.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await places[0].report()).totals.requests).toBe(2)
    expect((await places[1].report()).totals.requests).toBe(2)
    const narrow = await Promise.all(
      Array.from({ length: 3 }, () => ask({ model: 'pair/narrow', body: { models: ['sim/echo'] } })),
    )
    expect(narrow.map(({ served }) => served).sort()).toEqual(['pair/narrow', 'pair/narrow', 'sim/echo'])
  })
})

it('leaves a correct ledger', async () => {
  expect(await ledgerState()).toMatchObject({ open: 0, held: 0n, violations: [] })
})
