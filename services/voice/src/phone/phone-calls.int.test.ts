import { randomUUID } from 'node:crypto'
import { uuidOf } from '@ratchet/contracts/public-id'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { LegError } from '@ratchet/sip/agent/sip-leg'
import { eventually } from '@ratchet/testing/eventually'
import { startTestWorker, type TestWorker, uuidOfCall } from '../calls/call-system.fixture.ts'
import { type TestWriters, testWriters } from '../calls/test-writers.fixture.ts'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { startTelephone, type Telephone, telephoneHost, workerHost } from './telephone.fixture.ts'

let app: TestVoiceApp
let worker: TestWorker
let writers: TestWriters
let workerPort: number
const telephones: Telephone[] = []

beforeAll(async () => {
  app = await voiceApp()
  workerPort = await anyFreePort()
  writers = testWriters((turns) =>
    turns.at(-1)?.text.includes('keys') === true && turns.at(-1)?.role === 'caller'
      ? 'call send_dtmf {"keys":"42#"}'
      : 'Your parcel arrives tomorrow.',
  )
  worker = await startTestWorker({
    databaseUrl: app.databaseUrl,
    money: app.money.money,
    writers,
    phone: { SIP_LISTEN: { host: workerHost, port: workerPort }, RTP_PORTS: [33_000, 33_199] },
  })
})
afterAll(async () => {
  for (const telephone of telephones) await telephone.close()
  await worker.stop()
  await app.drop()
})
afterEach(() => expect(worker.errors).toEqual([]))

let nextPort = 33_200
async function telephone(options: Partial<Parameters<typeof startTelephone>[0]> = {}): Promise<Telephone> {
  const started = await startTelephone({ workerPort, firstPort: nextPort, ...options })
  nextPort += 140
  telephones.push(started)
  return started
}

const until = (check: () => boolean | Promise<boolean>) =>
  eventually(
    async () => {
      if (!(await check())) throw new Error('not yet')
    },
    { withinMs: 30_000, everyMs: 50 },
  )
const get = async (id: string) => (await app.send('get', `/v1/calls/${id}`)).body
const callsOf = async (numberId: string) => (await app.send('get', `/v1/calls?number_id=${numberId}`)).body.data

let digits = 10_000_000
/** A number of a telephone's trunk, with an agent that answers. */
async function newNumber(
  { port }: Telephone,
  { agent = {}, ...settings }: { agent?: object; [name: string]: unknown } = {},
) {
  const created = await app.send('post', '/v1/agents', {
    body: {
      ...newAgent,
      ai_disclosure: false,
      turn_taking: { detector: 'vad' },
      first_message: 'Good morning caller.',
      variables: [{ name: 'company', default: 'Example' }],
      ...agent,
    },
  })
  const { status, body } = await app.send('post', '/v1/numbers', {
    body: {
      e164: `+4930${digits++}`,
      provider: 'sip',
      agent_id: created.body.id,
      sip: { termination_uri: `sip:${telephoneHost}:${port}`, allowed_ips: [telephoneHost] },
      ...settings,
    },
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { number: body, agentId: created.body.id as string }
}

async function call(order: object) {
  return app.send('post', '/v1/calls/create', { body: order })
}

it('answers a call to a number: each side hears the other word for word, until the caller hangs up', async () => {
  const phone = await telephone()
  const { number } = await newNumber(phone)
  // The worker reads new numbers every second.
  const leg = await eventually(() => phone.dial(`sip:${number.id}@${workerHost}:${workerPort}`), { withinMs: 10_000 })
  await until(() => phone.ear.join(' ') === 'Good morning caller.')
  phone.speak('When does my parcel arrive?')
  await until(() => phone.ear.join(' ') === 'Good morning caller. Your parcel arrives tomorrow.')
  leg.hangup()
  await until(async () => (await callsOf(number.id))[0]?.status === 'completed')
  const [{ id }] = await callsOf(number.id)
  const ended = await get(id)
  expect(ended).toMatchObject({
    type: 'phone',
    direction: 'inbound',
    number_id: number.id,
    to_number: number.e164,
    from_number: '+4930999',
    ended_reason: 'caller_hangup',
    ended_by: 'caller',
    carrier: { provider: 'sip', id: leg.callId, sip_status: null },
  })
  expect(ended.transcript.map(({ role, text }: { role: string; text: string }) => [role, text])).toEqual([
    ['agent', 'Good morning caller.'],
    ['caller', 'When does my parcel arrive?'],
    ['agent', 'Your parcel arrives tomorrow.'],
  ])
  const moves = app.money.moves.filter(({ callId }) => callId === uuidOfCall(id)).map(({ kind }) => kind)
  expect(moves).toEqual(['held', 'begun', 'settled'])
}, 60_000)

it('calls a telephone: rings, talks, takes keys, and hangs up when the API says so', async () => {
  const phone = await telephone({
    onCall(incoming, answer) {
      incoming.ring()
      setTimeout(answer, 300)
    },
  })
  const { number, agentId } = await newNumber(phone, { agent: { dtmf: { enabled: true } } })
  const created = await call({ agent_id: agentId, to_number: '+493012345678', number_id: number.id })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({ status: 'queued', type: 'phone', direction: 'outbound' })
  expect(created.body.join_url).toBeUndefined()
  await until(() => phone.ear.join(' ') === 'Good morning caller.')
  expect(phone.calls[0]).toMatchObject({ to: `sip:+493012345678@${telephoneHost}:${phone.port}` })
  expect(phone.calls[0]?.from).toContain(`sip:${number.e164}@`)
  phone.leg?.sendDtmf('42#')
  await until(() => phone.ear.join(' ').endsWith('Your parcel arrives tomorrow.'))
  await app.send('post', `/v1/calls/${created.body.id}/stop`)
  await until(() => phone.ends.length === 1)
  await until(async () => (await get(created.body.id)).status === 'completed')
  const ended = await get(created.body.id)
  expect(ended).toMatchObject({ ended_reason: 'api_stop', ended_by: 'api' })
  expect(ended.transcript[1]).toMatchObject({ role: 'caller', text: '[keypad] 42#' })
  const { body } = await app.send('get', `/v1/calls/${created.body.id}/events`)
  const statuses = body.data.filter(({ kind }: { kind: string }) => kind === 'status')
  expect(statuses.map(({ data }: { data: { status: string } }) => data.status)).toEqual([
    ...['queued', 'dialing', 'ringing', 'in_progress'],
  ])
}, 60_000)

it('leaves a message on a mailbox behind its beep, hangs up, and says that a machine answered', async () => {
  const phone = await telephone()
  const message = 'Please call us back.'
  const voicemail = { detect: true, action: 'message', message }
  const { number, agentId } = await newNumber(phone, { agent: { voicemail } })
  const { body } = await call({ agent_id: agentId, to_number: '+493012345678', number_id: number.id })
  await until(() => phone.leg !== null)
  phone.speak('You have reached Ann. Please leave a message after the tone, and I will call you back.')
  const samples = Array.from({ length: 4_000 }, (_, i) => Math.round(8_000 * Math.sin((2 * Math.PI * i) / 8)))
  phone.leg?.send(Int16Array.from([...new Int16Array(4_000), ...samples]))
  await until(async () => (await get(body.id)).ended_at !== null)
  expect(phone.ear.join(' ')).toBe(message)
  const end = { status: 'voicemail', ended_reason: 'voicemail', ended_by: 'system', answered_by: 'machine' }
  expect(await get(body.id)).toMatchObject({ ...end, transcript: [{ role: 'agent', text: message }] })
  expect((await app.send('get', '/v1/calls?status=voicemail')).body.total).toBe(1)
}, 60_000)

it.each([
  [486, 'busy', 'busy'],
  [603, 'failed', 'rejected'],
  [404, 'failed', 'invalid_number'],
  [480, 'no_answer', 'no_answer'],
  [500, 'failed', 'carrier_error'],
])(
  'ends a call that is refused with %d as %s, and charges nothing',
  async (status, expected, reason) => {
    const phone = await telephone({ onCall: (incoming) => incoming.refuse(status) })
    const { number, agentId } = await newNumber(phone)
    const { body } = await call({ agent_id: agentId, to_number: '+493012345678', from_number: number.e164 })
    await until(async () => (await get(body.id)).ended_at !== null)
    expect(await get(body.id)).toMatchObject({
      status: expected,
      ended_reason: reason,
      answered_at: null,
      carrier: { sip_status: status },
    })
    expect(app.money.moves.filter(({ callId }) => callId === uuidOfCall(body.id)).at(-1)).toMatchObject({
      kind: 'settled',
      usage: { answeredMs: 0 },
    })
  },
  60_000,
)

it('cancels a call that rings when it is stopped', async () => {
  let cancelled = 0
  const phone = await telephone({
    onCall(incoming) {
      incoming.ring()
      incoming.onCancelled(() => cancelled++)
    },
  })
  const { number, agentId } = await newNumber(phone)
  const { body } = await call({ agent_id: agentId, to_number: '+493012345678', number_id: number.id })
  await until(async () => (await get(body.id)).status === 'ringing')
  await app.send('post', `/v1/calls/${body.id}/stop`)
  await until(async () => (await get(body.id)).status === 'canceled')
  await until(() => cancelled === 1)
}, 60_000)

it('lets calls wait for the limits of their number, and refuses incoming ones as busy', async () => {
  const phone = await telephone()
  const { number, agentId } = await newNumber(phone, { max_concurrent: 1, max_calls_per_second: 5 })
  const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id }
  const [first, second] = [await call(order), await call(order)]
  await until(() => phone.ear.join(' ') === 'Good morning caller.')
  const refused = await phone.agent
    .dial({ trunkId: 'worker', to: `sip:${number.id}@${workerHost}:${workerPort}`, from: '1', events: noEvents })
    .answered.catch((error: unknown) => error)
  expect(refused).toMatchObject(new LegError(486, 'INVITE'))
  const states = [(await get(first.body.id)).status, (await get(second.body.id)).status]
  expect(states.toSorted()).toEqual(['in_progress', 'queued'])
  expect((await app.send('delete', `/v1/numbers/${number.id}`)).status).toBe(409)
  phone.leg?.hangup()
  await until(() => phone.calls.length === 2)
  await until(async () => (await get(second.body.id)).status === 'in_progress')
  await app.send('post', `/v1/calls/${second.body.id}/stop`)
  await until(async () => (await get(second.body.id)).status === 'completed')
  expect(await app.send('delete', `/v1/numbers/${number.id}`)).toMatchObject({ status: 200, body: { deleted: true } })
}, 60_000)

it('takes calls of others while very many of one workspace begin at a moment', async () => {
  const phone = await telephone()
  const { number } = await newNumber(phone)
  const by = randomUUID()
  const { e164, sip } = number
  const own = { termination_uri: sip.termination_uri, allowed_ips: sip.allowed_ips }
  const other = (await app.send('post', '/v1/numbers', { by, body: { e164, provider: 'sip', sip: own } })).body
  const dial = (to: string) =>
    phone.agent
      .dial({ trunkId: 'worker', to: `sip:${to}@${workerHost}:${workerPort}`, from: '1', events: noEvents })
      .answered.then(
        (leg) => leg.hangup(),
        ({ status }: LegError) => status,
      )
  await eventually(async () => expect(await dial(other.id)).toBe(480), { withinMs: 10_000 })
  const client = await app.operator.connect()
  await client.query('BEGIN')
  // Each call of the number waits for it.
  await client.query('SELECT FROM voice_number WHERE id = $1 FOR UPDATE', [uuidOf('voiceNumber', number.id)])
  const many = Array.from({ length: 40 }, () => dial(number.id))
  await until(async () => {
    const { rows } = await client.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' LIMIT 2")
    return rows.length === 2
  })
  const startedMs = performance.now()
  expect(await dial(other.id)).toBe(480)
  const waitedMs = performance.now() - startedMs
  await client.query('ROLLBACK')
  client.release()
  const statuses = await Promise.all(many)
  expect(waitedMs).toBeLessThan(2_000)
  expect(statuses).toContain(503)
}, 60_000)

it('dials none of many calls that were created at once, when those before them have cost what the number may in a day', async () => {
  const phone = await telephone()
  const { number, agentId } = await newNumber(phone, { max_concurrent: 1, max_calls_per_second: 5, daily_spend_usd: 1 })
  const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id }
  const [first, second] = [await call(order), await call(order)]
  await app.operator.query(
    `INSERT INTO call_slice (call_id, number, workspace_id, hold_id, rates, amount_nano)
      SELECT id, 0, workspace_id, gen_random_uuid(), '{}', 1000000000 FROM call WHERE id = ANY($1::uuid[])`,
    [[uuidOfCall(first.body.id), uuidOfCall(second.body.id)]],
  )
  await until(async () => (await get(first.body.id)).status === 'in_progress')
  phone.leg?.hangup()
  await until(async () => (await get(second.body.id)).ended_at !== null)
  expect(await get(second.body.id)).toMatchObject({ status: 'failed', ended_reason: 'insufficient_credits' })
  expect((await get(first.body.id)).status).toBe('completed')
  expect(phone.calls).toHaveLength(1)
}, 60_000)

it('answers nobody who calls a number of another trunk, and asks a trunk whether it answers', async () => {
  const phone = await telephone()
  const { number } = await newNumber(phone, { agent_id: null })
  const dial = (to: string) =>
    phone.agent
      .dial({ trunkId: 'worker', to: `sip:${to}@${workerHost}:${workerPort}`, from: '1', events: noEvents })
      .answered.catch(({ status }: LegError) => status)
  await eventually(async () => expect(await dial(number.id)).toBe(480), { withinMs: 10_000 })
  expect(await dial('num_00000000000000000000000000000000')).toBe(404)
  const check = () => app.send('post', `/v1/numbers/${number.id}/check`)
  expect(await check()).toMatchObject({ status: 200, body: { ok: true, answered_ms: expect.any(Number) } })
  // Another workspace says to have the same number at the same trunk: neither gets its calls.
  expect(await dial(number.e164)).toBe(480)
  const { sip, e164 } = number
  await app.send('post', '/v1/numbers', {
    by: '019aa5f0-8a07-7000-8000-000000000009',
    body: { e164, provider: 'sip', sip: { termination_uri: sip.termination_uri, allowed_ips: sip.allowed_ips } },
  })
  await eventually(async () => expect(await dial(number.e164)).toBe(404), { withinMs: 10_000 })
  expect(await dial(number.id)).toBe(480)
}, 60_000)

it('transfers a call to a target of the agent or of the API, and goes on when the trunk refuses', async () => {
  const phone = await telephone()
  const { number, agentId } = await newNumber(phone, {
    agent: { transfers: [{ name: 'desk', to: '+493011111111', description: 'A person.' }] },
  })
  const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id }
  const { body } = await call(order)
  await until(() => phone.ear.join(' ') === 'Good morning caller.')
  expect(writers.orders.at(-1)?.settings.tools.map(({ name }) => name)).toEqual(['transfer_call', 'end_call'])
  const transfer = (to: string) => app.send('post', `/v1/calls/${body.id}/transfer`, { body: { to } })
  expect((await transfer('+12125550123')).status).toBe(403)
  // The telephone of this test follows no REFER.
  expect((await transfer('+493011111112')).status).toBe(202)
  phone.speak('Are you still there?')
  await until(() => phone.ear.join(' ').endsWith('Your parcel arrives tomorrow.'))
  expect((await get(body.id)).status).toBe('in_progress')
  phone.leg?.hangup()
  await until(async () => (await get(body.id)).status === 'completed')
}, 60_000)

it('presses keys that a model asks for', async () => {
  const phone = await telephone()
  const { number, agentId } = await newNumber(phone, { agent: { dtmf: { can_send: true, secret: true } } })
  const { body } = await call({ agent_id: agentId, to_number: '+493012345678', number_id: number.id })
  await until(() => phone.ear.join(' ') === 'Good morning caller.')
  phone.speak('Press the keys please.')
  await until(() => phone.keys.join('') === '42#')
  phone.leg?.hangup()
  await until(async () => (await get(body.id)).status === 'completed')
  const { transcript } = await get(body.id)
  const { body: events } = await app.send('get', `/v1/calls/${body.id}/events`)
  expect(JSON.stringify([transcript, events])).not.toContain('42#')
  expect(transcript.find(({ role }: { role: string }) => role === 'tool')?.tool_call).toMatchObject({
    name: 'send_dtmf',
  })
}, 60_000)

it('dials a scheduled call when it is due, and holds its money only then', async () => {
  const phone = await telephone()
  const { number, agentId } = await newNumber(phone)
  const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id }
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const soon = at(2_500)
  const due = await call({ ...order, schedule_at: soon })
  expect(due).toMatchObject({ status: 201, body: { status: 'queued', schedule_at: soon } })
  const later = await call({ ...order, schedule_at: at(3_600_000) })
  await until(async () => (await get(due.body.id)).status === 'in_progress')
  expect(Date.parse((await get(due.body.id)).answered_at)).toBeGreaterThanOrEqual(Date.parse(soon))
  phone.leg?.hangup()
  await until(async () => (await get(due.body.id)).status === 'completed')
  const moves = app.money.moves.filter(({ callId }) => callId === uuidOfCall(due.body.id)).map(({ kind }) => kind)
  expect(moves).toEqual(['begun', 'settled'])
  expect((await get(later.body.id)).status).toBe('queued')
  const stopped = await app.send('post', `/v1/calls/${later.body.id}/stop`)
  expect(stopped.body).toMatchObject({ status: 'canceled', ended_reason: 'canceled' })
  expect(phone.calls).toHaveLength(1)
}, 60_000)

it('ends a scheduled call that nobody pays, or whose number has spent what it may, without dialing', async () => {
  const phone = await telephone()
  const { number, agentId } = await newNumber(phone)
  const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id }
  const schedule_at = new Date(Date.now() + 1_500).toISOString()
  const { body: unpaid } = await call({ ...order, schedule_at })
  app.money.isCovered = false
  const unpaidEnd = await eventually(async () => {
    const found = await get(unpaid.id)
    return found.ended_at === null ? null : found
  })
  app.money.isCovered = true
  expect(unpaidEnd).toMatchObject({ status: 'failed', ended_reason: 'insufficient_credits' })
  const { body: capped } = await call({ ...order, schedule_at: new Date(Date.now() + 1_500).toISOString() })
  expect((await app.send('patch', `/v1/numbers/${number.id}`, { body: { daily_spend_usd: 0 } })).status).toBe(200)
  await until(async () => (await get(capped.id)).ended_at !== null)
  expect(await get(capped.id)).toMatchObject({ status: 'failed', ended_reason: 'insufficient_credits' })
  expect(phone.calls).toEqual([])
}, 60_000)

it.each([
  ['of a browser', { type: 'web', to_number: undefined, number_id: undefined }, 0],
  ['in more than seven days', {}, 7 * 86_400_000 + 60_000],
  ['at no time', { schedule_at: 'tomorrow' }, 0],
])(
  'schedules no call %s',
  async (_what, more, aheadMs) => {
    const phone = await telephone()
    const { number, agentId } = await newNumber(phone)
    const schedule_at = new Date(Date.now() + aheadMs).toISOString()
    const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id, schedule_at }
    expect(await call({ ...order, ...more })).toMatchObject({ status: 400, body: { error: { code: 'INVALID_BODY' } } })
  },
  60_000,
)

const noEvents = { onAudio: () => undefined, onDtmf: () => undefined, onEnded: () => undefined }
