import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { Webhook } from 'standardwebhooks'
import { untilInForce } from './alias-propagation.ts'
import { postChat } from './clients.ts'
import { ageCalibrations } from './judged-rows.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, type Json, sendTraffic } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { loopbackCertificate } from './loopback-certificate.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
let judge: Json
let server: Server
const received: { readonly headers: Record<string, string>; readonly body: string }[] = []

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  server = createServer(loopbackCertificate, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  judge = await createJudge(api, 'sim/judge-0.98-0.98', { online_percent: 100 })
  await gradeTruly(api, await sendTraffic(fleet, workspace, { model: 'sim/quality-0.5', count: 400, from: 900_000 }))
  expect(await calibrate(api, judge.id)).toMatchObject({ status: 'DONE', trust: 'trustworthy' })
}, 300_000)
afterAll(() => server?.close())

async function put(alias: object): Promise<Json> {
  const { status, json, text } = await api('PUT', '/aliases', alias)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return json
}

/** Creates a split with a gate, and waits until it applies in every process. */
async function split(name: string, target: string, canary: string, more: object = {}): Promise<void> {
  await put({
    name,
    target_model: target,
    canary_model: canary,
    canary_percent: 50,
    gate_mode: 'auto',
    gate_criterion_id: judge.id,
    ...more,
  })
  await untilInForce(api, name)
}

let asked = 0

/** Sends requests; returns the number of answers by model. */
async function ask(model: string, count: number): Promise<Record<string, number>> {
  const served: Record<string, number> = {}
  for (let from = 0; from < count; from += 20) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(20, count - from) }, async () => {
        asked += 1
        const content = `Question ${asked}: why does item ${asked} of the list matter?`
        const response = await postChat(fleet, { model, content, apiKey: workspace.apiKey })
        await response.text()
        expect([response.status, response.headers.get('x-svc-alias')]).toEqual([200, model])
        return response.headers.get('x-svc-served-model') ?? ''
      }),
    )
    for (const answer of answers) served[answer] = (served[answer] ?? 0) + 1
  }
  return served
}

const gate = async (name: string): Promise<Json> => (await api('GET', `/aliases/${name}/gate`)).json
const alias = async (name: string): Promise<Json> => (await api('GET', `/aliases/${name}`)).json
const events = async (name: string): Promise<Json[]> => (await api('GET', `/aliases/${name}/events`)).json.data

const scoredBy = ({ arms }: Json): number => arms.target.scored + (arms.canary?.scored ?? 0)
const openIn = ({ arms }: Json): number => arms.target.open + (arms.canary?.open ?? 0)

/** Sends more requests, and waits until the judge has scored answers to them or the gate has decided. */
async function askAndScore(name: string, count: number): Promise<void> {
  const before = scoredBy(await gate(name))
  await ask(name, count)
  await eventually(
    async () => {
      const now = await gate(name)
      return now.state !== 'collecting' || (scoredBy(now) > before && openIn(now) === 0)
    },
    { withinMs: 45_000, everyMs: 200 },
  )
}

function untilState(name: string, state: string, withinMs = 60_000): Promise<Json> {
  return eventually(
    async () => {
      const found = await gate(name)
      if (found.state !== state) throw new Error(`${found.state}: ${found.reason}`)
      return found
    },
    { withinMs, everyMs: 200 },
  )
}

it('rolls back a worse canary automatically, with evidence in the audit and a signed webhook message', async () => {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/gates`
  const webhook = await api('POST', '/webhooks', { url, events: ['alias.gate.rolled_back', 'alias.gate.promoted'] })
  expect(webhook.status).toBe(201)
  await split('worse', 'sim/quality-0.97', 'sim/quality-0.5')
  for (let round = 0; round < 10 && (await alias('worse')).canary_percent > 0; round += 1) {
    await askAndScore('worse', 60)
  }
  const found = await untilState('worse', 'rolled_back')
  expect(found.difference.cs[1]).toBeLessThan(-0.05)
  expect(found.arms.canary.pass_rate).toBeLessThan(found.arms.target.pass_rate)
  expect(await alias('worse')).toMatchObject({ canary_percent: 0, gate_state: 'rolled_back', updated_by: 'gate' })
  const [event] = await events('worse')
  expect(event).toMatchObject({
    kind: 'gate_rollback',
    actor: { type: 'gate', user_id: null },
    before: { canary_percent: 50 },
    after: { canary_percent: 0 },
    evidence: { gate: { state: 'rolled_back', arms: { canary: { model: 'sim/quality-0.5' } } } },
  })
  await untilInForce(api, 'worse')
  expect(await ask('worse', 40)).toEqual({ 'sim/quality-0.97': 40 })
  const message = await eventually(() => received.find(({ body }) => body.includes('"worse"')) ?? null, {
    withinMs: 45_000,
  })
  const verified = new Webhook(webhook.json.secret).verify(message.body, message.headers) as Json
  expect(verified).toMatchObject({ type: 'alias.gate.rolled_back', data: { object: 'alias', name: 'worse' } })
  const deliveries = await api('GET', `/webhooks/${webhook.json.id}/deliveries`)
  expect(deliveries.json.data[0]).toMatchObject({ status: 'delivered', type: 'alias.gate.rolled_back' })
}, 300_000)

it('promotes a better canary automatically, only after people have graded drawn answers of each arm', async () => {
  await split('better', 'sim/quality-0.7', 'sim/quality-0.99')
  for (let round = 0; round < 12 && (await gate('better')).state !== 'healthy'; round += 1) {
    await askAndScore('better', 60)
  }
  const watched = await untilState('better', 'healthy')
  expect(watched.reason).toContain('graded 0 answers of the canary')
  expect(watched.plan.missing.grades.canary).toBeGreaterThan(0)
  const logged = await api('GET', '/logs?alias=better&limit=200')
  const isFlawed = new Map<string, boolean>(
    logged.json.data.map(({ id, response }: Json) => [id, response.content.includes('(flawed)')]),
  )
  // Those that a person picks prove nothing, even if there are enough of them.
  const picked = [...isFlawed].slice(0, 60).map(([id, flawed]) => ({ id, isFlawed: flawed }))
  await gradeTruly(api, picked, { sampling: null })
  await eventually(async () => (await gate('better')).arms.canary.graded > 0, { withinMs: 45_000, everyMs: 200 })
  expect(await gate('better')).toMatchObject({ state: 'healthy', arms: { canary: { drawn: 0 } } })
  const drawn = (await api('GET', '/aliases/better/gate/next_to_grade?limit=200')).json.data
  // Every answer that was offered: one that is left out would count against a promotion.
  for (const { log_id: id } of drawn) {
    const { response } = (await api('GET', `/logs/${id}`)).json
    await gradeTruly(api, [{ id, isFlawed: response.content.includes('(flawed)') }], { sampling: null })
  }
  const found = await untilState('better', 'promoted')
  expect(found.graded_difference.cs[0]).toBeGreaterThan(-0.05)
  expect(found.arms.canary.drawn).toBeGreaterThanOrEqual(20)
  expect(await alias('better')).toMatchObject({ canary_percent: 100, gate_state: 'promoted', updated_by: 'gate' })
  expect((await events('better'))[0]).toMatchObject({ kind: 'gate_promote' })
  await untilInForce(api, 'better')
  expect(await ask('better', 40)).toEqual({ 'sim/quality-0.99': 40 })
}, 300_000)

it('does not promote a canary whose style fools the judge', async () => {
  await split('fooling', 'sim/quality-0.96', 'sim/quality-0.961')
  for (let round = 0; round < 12 && (await gate('fooling')).state !== 'healthy'; round += 1) {
    await askAndScore('fooling', 60)
  }
  await untilState('fooling', 'healthy')
  const drawn = (await api('GET', '/aliases/fooling/gate/next_to_grade?limit=200')).json.data
  const labels: object[] = []
  for (const [index, { log_id: id }] of drawn.entries()) {
    const { response, served_model: model } = (await api('GET', `/logs/${id}`)).json
    // People fail a third of the answers of the canary, which the judge passes: it sees no difference.
    const isFooled = model === 'sim/quality-0.961' && index % 3 === 0
    labels.push({ log_id: id, label: isFooled || response.content.includes('(flawed)') ? 'fail' : 'pass' })
  }
  const stored = await api('POST', '/labels', { labels })
  expect([stored.status, stored.json.rejected]).toEqual([201, []])
  const found = await eventually(
    async () => {
      const now = await gate('fooling')
      const isGraded = now.arms.canary.drawn >= 20 && now.arms.target.drawn >= 20
      // Grades arrive in parts: until some of the few answers that the judge failed have one, there is no estimate.
      return isGraded && now.graded_difference !== null ? now : null
    },
    { withinMs: 45_000, everyMs: 200 },
  )
  expect(found.difference.estimate).toBeGreaterThan(-0.1)
  expect(found.graded_difference.estimate).toBeLessThan(-0.1)
  await askAndScore('fooling', 60)
  expect(['healthy', 'rolled_back']).toContain((await gate('fooling')).state)
  expect((await events('fooling')).map(({ kind }) => kind)).not.toContain('gate_promote')
  expect((await alias('fooling')).target_model).toBe('sim/quality-0.96')
}, 300_000)

it('only recommends in the mode recommend, and shows evidence of an unproven judge', async () => {
  const unproven = await createJudge(api, 'sim/judge-1-1', { online_percent: 100 })
  const auto = {
    name: 'recommended',
    target_model: 'sim/quality-0.95',
    canary_model: 'sim/quality-0.4',
    canary_percent: 50,
    gate_criterion_id: unproven.id,
    gate_mode: 'auto',
  }
  const refused = await api('PUT', '/aliases', auto)
  expect([refused.status, refused.json.error.code]).toEqual([412, 'precondition_failed'])
  await split('recommended', 'sim/quality-0.95', 'sim/quality-0.4', {
    gate_criterion_id: unproven.id,
    gate_mode: 'recommend',
  })
  await ask('recommended', 120)
  const found = await untilState('recommended', 'rollback_recommended')
  expect(found).toMatchObject({ trust: 'unmeasured', youden: null })
  expect((await alias('recommended')).canary_percent).toBe(50)
  const inUse = await api('DELETE', `/criteria/${unproven.id}`)
  expect([inUse.status, inUse.json.error.code]).toEqual([409, 'criterion_in_use'])
  await api('POST', '/aliases/recommended/rollback', { reason: 'As it says.' })
  expect(await alias('recommended')).toMatchObject({ canary_percent: 0, gate_state: 'rolled_back' })
  await put({ name: 'recommended', target_model: 'sim/quality-0.95' })
  expect((await api('DELETE', `/criteria/${unproven.id}`)).status).toBe(200)
}, 300_000)

it('is collecting with little traffic, then starved, then expired', async () => {
  await split('quiet', 'sim/quality-0.9', 'sim/quality-0.91', { gate_window_hours: 0.01 })
  await ask('quiet', 10)
  expect((await gate('quiet')).state).toBe('collecting')
  await untilState('quiet', 'starved', 40_000)
  await untilState('quiet', 'expired', 40_000)
  const kinds = (await events('quiet')).map(({ kind }) => kind)
  expect(kinds).toEqual(['gate_ended', 'gate_starved', 'created'])
  expect((await alias('quiet')).canary_percent).toBe(50)
}, 300_000)

it('rolls back when its error guard is breached', async () => {
  await split('failing', 'sim/small', 'sim/fail-500', { gate_guard: { max_error_rate_increase: 0.05 } })
  const send = async () => (await postChat(fleet, { model: 'failing', apiKey: workspace.apiKey })).text()
  await eventually(
    async () => {
      await Promise.all(Array.from({ length: 10 }, send))
      return (await alias('failing')).canary_percent === 0
    },
    { withinMs: 60_000, everyMs: 300 },
  )
  const found = await untilState('failing', 'rolled_back')
  expect(found.reason).toContain('error_rate_increase')
  expect(found.guard).toMatchObject([{ name: 'error_rate_increase', breached: true }])
  expect(found.arms.canary.error_rate).toBe(1)
  expect(found.arms.target.error_rate).toBe(0)
}, 300_000)

it('lets a shadow answer a share of the requests: charged, judged, never served, not logged', async () => {
  await put({
    name: 'mirrored',
    target_model: 'sim/quality-0.95',
    gate_criterion_id: judge.id,
    shadow_model: 'sim/quality-0.5',
    shadow_percent: 50,
  })
  await untilInForce(api, 'mirrored')
  expect(await ask('mirrored', 100)).toEqual({ 'sim/quality-0.95': 100 })
  const shadow = await eventually(
    async () => {
      const { shadow: found } = await gate('mirrored')
      return found.mirrored > 20 && found.scored === found.mirrored ? found : null
    },
    { withinMs: 45_000, everyMs: 200 },
  )
  expect(shadow).toMatchObject({ model: 'sim/quality-0.5', errors: 0 })
  expect(shadow.mirrored).toBeLessThan(80)
  expect(shadow.raw_pass_rate).toBeLessThan(0.75)
  expect(shadow.avg_cost_usd).toBeGreaterThan(0)
  const logged = await api('GET', '/logs?alias=mirrored&content=none&limit=200')
  expect(logged.json.data).toHaveLength(100)
  expect((await api('GET', '/logs?model=sim%2Fquality-0.5&alias=mirrored&content=none')).json.total).toBe(0)
}, 300_000)

it('sends a webhook message about a flagged judge, and lets no gate act on its verdicts', async () => {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/drift`
  await api('POST', '/webhooks', { url, events: ['criterion.drift_flagged'] })
  await split('flagged', 'sim/quality-0.98', 'sim/quality-0.45')
  await ageCalibrations(fleet, judge.id)
  const message = await eventually(() => received.find(({ body }) => body.includes('drift_flagged')) ?? null, {
    withinMs: 45_000,
  })
  expect(JSON.parse(message.body)).toMatchObject({
    type: 'criterion.drift_flagged',
    data: { object: 'criterion', id: judge.id, drift_signal: 'stale' },
  })
  await ask('flagged', 160)
  const found = await untilState('flagged', 'rollback_recommended')
  expect(found.reason).toContain('The gate does not act: its judge is flagged for drift.')
  expect((await alias('flagged')).canary_percent).toBe(50)
}, 300_000)

it('leaves a correct ledger', async () => {
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({ held: 0n, violations: [] })
}, 300_000)
