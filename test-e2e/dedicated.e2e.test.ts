import Anthropic from '@anthropic-ai/sdk'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { OpenAI } from 'openai'
import pg from 'pg'
import { requireRightCharges } from './dedicated/right-charges.ts'
import { type Answered, readJson } from './fine-tuning/read-json.ts'
import { type Fleet, startFleet } from './fleet.ts'
import type { Json } from './judged-traffic.ts'
import { readLedger } from './ledger-oracle.ts'

/* Dedicated endpoints on a fleet whose engines are simulated, with a client that knows OpenAI only. */

let fleet: Fleet
let operator: pg.Client

beforeAll(async () => {
  fleet = await startFleet({ training: true, aliases: true })
  operator = new pg.Client({ connectionString: fleet.databaseUrl })
  await operator.connect()
}, 300_000)

afterAll(async () => {
  await operator?.end()
  await fleet?.stop()
})

const messages = [{ role: 'user' as const, content: 'Where is my parcel?' }]
const body = { name: 'Support', model: 'sim/small', hardware: 'sim-1x' }

interface Caller {
  readonly workspace: DemoWorkspace
  readonly openai: OpenAI
  ask(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answered>
  create(more?: object): Promise<Json>
  untilState(id: string, state: string): Promise<Json>
}

async function caller(balanceUsd = '10'): Promise<Caller> {
  const workspace = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd })
  const { apiKey } = workspace
  const ask: Caller['ask'] = (method, path, sent, headers = {}) =>
    readJson(`${fleet.url}/v1${path}`, { method, apiKey, body: sent, headers })
  const untilState: Caller['untilState'] = (id, state) =>
    eventually(
      async () => {
        const { json } = await ask('GET', `/dedicated/endpoints/${id}`)
        expect(json.state).toBe(state)
        return json
      },
      { withinMs: 30_000, everyMs: 200 },
    )
  return {
    workspace,
    openai: new OpenAI({ apiKey, baseURL: `${fleet.url}/v1`, maxRetries: 0 }),
    ask,
    untilState,
    async create(more = {}) {
      const { status, json } = await ask('POST', '/dedicated/endpoints', { ...body, ...more })
      expect({ status, json }).toMatchObject({ status: 202 })
      return json
    },
  }
}

/** Lets the time pass for which an endpoint stays idle. */
const pass = async (id: string, seconds: number) => {
  const uuid = id.slice('dep_'.length)
  const past = `- ${seconds} * interval '1 second'`
  await operator.query(`UPDATE dedicated_endpoint SET state_at = state_at ${past} WHERE id = $1`, [uuid])
  await operator.query(
    `UPDATE dedicated_traffic SET last_request_at = last_request_at ${past} WHERE endpoint_id = $1`,
    [uuid],
  )
}

it('runs, answers, sleeps, wakes for a request and stops, and only its time is charged', async () => {
  const me = await caller()
  const created = await me.create()
  expect(created).toMatchObject({ object: 'dedicated.endpoint', state: 'PENDING', price_usd_per_hour: 0.6 })
  const model: string = created.model_id
  expect(model).toMatch(/^dedicated\/support-[a-z2-7]{6}$/)

  const first = await me.openai.chat.completions.create({ model, messages }).withResponse()
  expect(first.data.choices[0]?.message.content).toEqual(expect.any(String))
  expect(first.response.headers.get('x-svc-served-model')).toBe(model)
  expect(Number(first.response.headers.get('x-svc-cost-usd'))).toBe(0)
  expect(first.response.headers.get('x-svc-logged')).toMatch(/^off/)
  await me.untilState(created.id, 'RUNNING')

  const stream = await me.openai.chat.completions.create({ model, messages, stream: true })
  const texts: string[] = []
  for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content ?? '')
  expect(texts.join('')).not.toBe('')

  // Inference learns of a state about a second later.
  await eventually(async () =>
    expect(await me.openai.models.retrieve(model)).toMatchObject({
      id: model,
      owned_by: 'workspace',
      dedicated: { price_usd_per_hour: 0.6, state: 'RUNNING' },
    }),
  )

  await eventually(
    async () => {
      await pass(created.id, 3_700)
      expect((await me.ask('GET', `/dedicated/endpoints/${created.id}`)).json.state).toBe('SCALED_TO_ZERO')
    },
    { everyMs: 500 },
  )
  await eventually(async () => {
    const { json } = await me.ask('GET', `/dedicated/endpoints/${created.id}`)
    expect(json).toMatchObject({ replicas: [], held_usd: 0 })
  })
  const woken = await me.openai.chat.completions.create({ model, messages })
  expect(woken.choices).toHaveLength(1)
  await me.untilState(created.id, 'RUNNING')

  const { json: metrics } = await me.ask('GET', `/dedicated/endpoints/${created.id}/metrics`)
  await eventually(async () => {
    const { json } = await me.ask('GET', `/dedicated/endpoints/${created.id}/metrics`)
    expect(json).toMatchObject({ requests: 3, errors: 0 })
    expect(json.queue_ms_p95).toBeGreaterThan(0)
  })
  expect(metrics.replicas).toHaveLength(60)

  expect((await me.ask('POST', `/dedicated/endpoints/${created.id}/stop`)).status).toBe(200)
  const stopped = await me.untilState(created.id, 'STOPPED')
  expect(stopped.spend.total_usd).toBeGreaterThan(0)
  const refused = await me.ask('POST', '/chat/completions', { model, messages })
  expect([refused.status, refused.json.error.code]).toEqual([503, 'no_capacity'])
  await requireRightCharges(fleet, me.workspace)

  const states = (await me.ask('GET', `/dedicated/endpoints/${created.id}/events`)).json.data
  expect(states.filter(({ type }: Json) => type === 'state').map(({ state }: Json) => state)).toEqual(
    expect.arrayContaining(['PENDING', 'STARTING', 'RUNNING', 'SCALED_TO_ZERO', 'STOPPING', 'STOPPED']),
  )
  expect((await me.ask('DELETE', `/dedicated/endpoints/${created.id}`)).json).toEqual({ id: created.id, deleted: true })
  await eventually(async () => {
    expect((await me.ask('POST', '/chat/completions', { model, messages })).json.error.code).toBe(
      'dedicated_endpoint_not_found',
    )
  })
}, 120_000)

it('answers in the formats of Responses and Messages, and lets another model answer only if the client names one', async () => {
  const me = await caller()
  const created = await me.create({ minReplicas: 1 })
  const model: string = created.model_id
  const headersOf = ({ headers }: Response) =>
    ['served-model', 'cost-usd', 'logged'].map((name) => headers.get(`x-svc-${name}`))
  const own = [model, expect.stringMatching(/^0(\.0+)?$/), expect.stringMatching(/^off/)]
  const responses = await me.openai.responses.create({ model, input: 'Where is my parcel?' }).withResponse()
  expect([responses.data.output_text, headersOf(responses.response)]).toEqual([expect.stringMatching(/\w/), own])
  const anthropic = new Anthropic({ baseURL: fleet.url, apiKey: me.workspace.apiKey, authToken: null, maxRetries: 0 })
  const message = await anthropic.messages.create({ model, max_tokens: 64, messages }).withResponse()
  expect([message.data.content, headersOf(message.response)]).toEqual([
    [expect.objectContaining({ type: 'text' })],
    own,
  ])

  await me.untilState(created.id, 'RUNNING')
  await me.ask('POST', `/dedicated/endpoints/${created.id}/stop`)
  await me.untilState(created.id, 'STOPPED')
  await requireRightCharges(fleet, me.workspace)
  await eventually(async () => {
    const refused = await me.ask('POST', '/responses', { model, input: 'Where is my parcel?' })
    expect([refused.status, refused.json.error.code]).toEqual([503, 'no_capacity'])
  })
  const other = await me.ask('POST', '/chat/completions', { model, models: ['sim/small'], messages })
  expect([other.status, other.json.model]).toEqual([200, 'sim/small'])
  expect((await me.ask('DELETE', `/dedicated/endpoints/${created.id}`)).status).toBe(200)
}, 120_000)

it('does not hold a request longer than its client waits', async () => {
  const me = await caller()
  const created = await me.create()
  const model = created.model_id
  const headers = { 'X-Svc-Max-Wait': '0' }
  await eventually(
    async () => {
      const { status, json } = await me.ask('POST', '/chat/completions', { model, messages }, headers)
      expect([status, json.error?.code]).toEqual([503, 'endpoint_starting'])
    },
    { everyMs: 50 },
  )
  const wrong = await me.ask('POST', '/chat/completions', { model, messages }, { 'X-Svc-Max-Wait': '601' })
  expect([wrong.status, wrong.json.error.param]).toEqual([400, 'X-Svc-Max-Wait'])
  await me.ask('DELETE', `/dedicated/endpoints/${created.id}`)
  await requireRightCharges(fleet, me.workspace)
}, 60_000)

it('refuses what the wallet does not cover, and what is wrong', async () => {
  const me = await caller('0.5')
  const poor = await me.ask('POST', '/dedicated/endpoints', body)
  expect([poor.status, poor.json.error.code]).toEqual([402, 'insufficient_balance'])
  const flat = await me.ask('POST', '/dedicated/endpoints', { ...body, minReplicas: 2 })
  expect([flat.status, flat.json]).toEqual([400, { error: expect.stringContaining('minReplicas') }])
  const member = await me.workspace.addMember('member')
  const denied = await readJson(`${fleet.url}/v1/dedicated/endpoints`, { method: 'POST', apiKey: member.apiKey, body })
  expect(denied.status).toBe(403)
  const read = await readJson(`${fleet.url}/v1/dedicated/endpoints`, { method: 'GET', apiKey: member.apiKey })
  expect([read.status, read.json]).toEqual([200, []])
  const alias = await me.ask('PUT', '/aliases', { name: 'support-bot', target_model: 'dedicated/x' })
  expect(alias.json.error.code).toBe('alias_target_dedicated')
  expect((await readLedger(fleet.databaseUrl, me.workspace.workspaceId)).charged).toBe(0n)
})

const example = (index: number) => ({
  messages: [
    { role: 'user', content: `Where is parcel ${index}?` },
    { role: 'assistant', content: 'On its way.' },
  ],
})

it('serves a model version, after its answers were compared with those of its trainer', async () => {
  const me = await caller()
  const examples = Array.from({ length: 20 }, (_, index) => example(index))
  const { json: dataset } = await me.ask('POST', '/datasets', { name: 'Parcels', examples })
  const { json: job } = await me.ask('POST', '/fine_tuning/jobs', { model: 'sim/small', datasetId: dataset.dataset.id })
  const version = await eventually(
    async () => {
      const { json } = await me.ask('GET', `/fine_tuning/jobs/${job.id}`)
      expect(json.status).toBe('succeeded')
      return json.model_version_id
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  const created = await me.create({ model: undefined, modelVersionId: version })
  expect(created).toMatchObject({ model: 'sim/small', model_version_id: version })
  const answer = await me.openai.chat.completions.create({ model: created.model_id, messages }).withResponse()
  expect(answer.response.headers.get('x-svc-served-model')).toBe(created.model_id)
  expect(answer.data.choices).toHaveLength(1)
  await me.ask('DELETE', `/dedicated/endpoints/${created.id}`)
}, 120_000)

it('is seen and used by its workspace alone', async () => {
  const [me, other] = [await caller(), await caller()]
  const created = await me.create()
  const used = await other.ask('POST', '/chat/completions', { model: created.model_id, messages })
  expect([used.status, used.json.error.code]).toEqual([404, 'dedicated_endpoint_not_found'])
  expect((await other.ask('GET', `/dedicated/endpoints/${created.id}`)).status).toBe(404)
  await me.ask('DELETE', `/dedicated/endpoints/${created.id}`)
})

it('goes on after its worker was killed, with another replica', async () => {
  const me = await caller()
  const created = await me.create({ minReplicas: 1 })
  const before = await me.untilState(created.id, 'RUNNING')
  fleet.trainingWorker.signal('SIGKILL')
  await fleet.trainingWorker.exited
  await fleet.add('training-worker')
  const after = await eventually(
    async () => {
      const { json } = await me.ask('GET', `/dedicated/endpoints/${created.id}`)
      expect(json.replicas).toMatchObject([{ state: 'ready' }])
      expect(json.replicas[0].id).not.toBe(before.replicas[0].id)
      return json
    },
    { withinMs: 90_000, everyMs: 500 },
  )
  const answer = await me.openai.chat.completions.create({ model: after.model_id, messages })
  expect(answer.choices).toHaveLength(1)
  await me.ask('DELETE', `/dedicated/endpoints/${created.id}`)
  await requireRightCharges(fleet, me.workspace)
}, 120_000)
