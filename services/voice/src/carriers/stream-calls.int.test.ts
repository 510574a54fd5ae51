import { randomUUID } from 'node:crypto'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { StreamCarrier } from '@ratchet/contracts/voice/number-providers'
import { connectPool } from '@ratchet/db/connect-pool'
import { CarrierStream } from '@ratchet/testing/carrier-stream'
import { eventually } from '@ratchet/testing/eventually'
import { startTestWorker, type TestWorker, uuidOfCall } from '../calls/call-system.fixture.ts'
import { testWriters } from '../calls/test-writers.fixture.ts'
import { startCarriers } from '../start-carriers.ts'
import { newAgent, secretKey, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { accountSid, apiKey, authToken, signedHeaders, startCarrierApi, telnyxPublicKey } from './carrier.fixture.ts'
import { createCarrierApi } from './carrier-api.ts'
import { createPgCarrierCalls } from './pg-carrier-calls.ts'

const origin = 'https://voice.test'
let app: TestVoiceApp
let worker: TestWorker
let api: Awaited<ReturnType<typeof startCarrierApi>>
const stops: (() => unknown)[] = []
const errors: unknown[] = []
beforeAll(async () => {
  api = await startCarrierApi()
  const rules = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }
  const origins = { twilio: api.origin, telnyx: api.origin }
  app = await voiceApp(() => 'All right.', { carriers: createCarrierApi({ origins, rules }) })
  worker = await startTestWorker({
    databaseUrl: app.databaseUrl,
    money: app.money.money,
    writers: testWriters(() => 'Your parcel arrives tomorrow between nine and ten o’clock, as we said.'),
  })
  startCarriers(
    { ENCRYPTION_KEYS: [secretKey], VOICE_ORIGIN: origin },
    {
      pool: app.pool,
      lifecycle: { onStop: (stop) => void stops.push(stop) },
      onError: (error) => void errors.push(error),
      rules,
      origins,
    },
  )
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await worker.stop()
  api.close()
  await app.drop()
})
afterEach(() => expect([...errors, ...worker.errors]).toEqual([]))

let digits = 30_000_000
const accounts = {
  twilio: { twilio: { account_sid: accountSid, auth_token: authToken } },
  telnyx: {
    telnyx: {
      account_sid: 'account-1',
      application_sid: 'application-1',
      api_key: apiKey,
      public_key: telnyxPublicKey,
    },
  },
}

async function newNumber(provider: StreamCarrier, settings: object = {}, agentSettings: object = {}) {
  const agent = {
    ...newAgent,
    ai_disclosure: false,
    first_message: 'Good morning caller.',
    turn_taking: { detector: 'vad' },
  }
  const { body: created } = await app.send('post', '/v1/agents', { body: { ...agent, ...agentSettings } })
  const e164 = `+4930${digits++}`
  api.numbers.add(e164)
  const body = { e164, provider, agent_id: created.id, ...accounts[provider], ...settings }
  const { status, body: number } = await app.send('post', '/v1/numbers', { body })
  expect([status, number.error]).toEqual([201, undefined])
  return { number, agentId: created.id as string }
}

/** What a carrier asks, as it comes through the edge. */
async function ask(
  carrier: StreamCarrier,
  path: string,
  fields: Record<string, string>,
  headers?: Record<string, string>,
) {
  const body = new URLSearchParams(fields).toString()
  const signed = headers ?? signedHeaders(carrier, { url: `${origin}${path}`, body })
  const { status, text } = await app.sendForm(path, body, signed)
  return { status, text }
}

const unescaped = (text: string | undefined) => (text ?? '').replaceAll('&amp;', '&')
function instructionsOf(text: string) {
  return {
    media: unescaped(/<Stream url="([^"]+)"/.exec(text)?.[1]).replace(
      'wss://voice.test',
      `ws://127.0.0.1:${worker.port}`,
    ),
    after: unescaped(/action="([^"]+)"/.exec(text)?.[1]).replace(origin, ''),
  }
}

const pathOf = (url: string) => url.replace(origin, '')
const voicePath = (number: { provider: string; id: string }) => `/carriers/${number.provider}/${number.id}/voice`
const get = async (id: string) => (await app.send('get', `/v1/calls/${id}`)).body
const callsOf = async (numberId: string) => (await app.send('get', `/v1/calls?number_id=${numberId}`)).body.data
const until = (check: () => boolean | Promise<boolean>) =>
  eventually(
    async () => {
      if (!(await check())) throw new Error('not yet')
    },
    { withinMs: 30_000, everyMs: 50 },
  )
const movesOf = (id: string) =>
  app.money.moves.filter(({ callId }) => callId === uuidOfCall(id)).map(({ kind }) => kind)

describe.each(['twilio', 'telnyx'] as const)('by %s', (carrier) => {
  it('answers a call: each side hears the other word for word, until the caller hangs up', async () => {
    const { number } = await newNumber(carrier, {}, { dtmf: { enabled: true } })
    const sid = `CA${randomUUID()}`
    const { status, text } = await ask(carrier, voicePath(number), { CallSid: sid, From: '+4930999', To: number.e164 })
    expect(status).toBe(200)
    const { media, after } = instructionsOf(text)
    const stream = new CarrierStream(media, carrier, sid)
    await until(() => stream.ear.join(' ') === 'Good morning caller.')
    stream.speak('When does my parcel arrive?')
    await until(() => stream.ear.join(' ').endsWith('as we said.'))
    await until(() => stream.isQuiet)
    for (const key of '42#') stream.press(key)
    await until(() => stream.ear.join(' ').split('as we said.').length === 3)
    await until(() => stream.isQuiet)
    stream.hangUp()
    await until(async () => (await callsOf(number.id))[0]?.status === 'completed')
    const [{ id }] = await callsOf(number.id)
    const ended = await get(id)
    expect(ended).toMatchObject({
      type: 'phone',
      direction: 'inbound',
      from_number: '+4930999',
      to_number: number.e164,
      ended_reason: 'caller_hangup',
      worker_generations: 1,
      carrier: { provider: carrier, id: sid },
    })
    const said = 'Your parcel arrives tomorrow between nine and ten o’clock, as we said.'
    expect(ended.transcript.map(({ role, text: words }: { role: string; text: string }) => [role, words])).toEqual([
      ...[
        ['agent', 'Good morning caller.'],
        ['caller', 'When does my parcel arrive?'],
        ['agent', said],
      ],
      ...[
        ['caller', '[keypad] 42#'],
        ['agent', said],
      ],
    ])
    expect(movesOf(id)).toEqual(['held', 'begun', 'settled'])
    expect((await ask(carrier, after, { CallSid: sid })).text).toContain('<Hangup/>')
  }, 60_000)

  it('dials once with the account of the number, and holds the call when it is answered', async () => {
    const { number, agentId } = await newNumber(carrier)
    const before = api.requests.length
    const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id }
    const { body: created } = await app.send('post', '/v1/calls/create', {
      body: { ...order, max_duration_seconds: 60 },
    })
    await until(() => api.requests.length > before)
    const [dialed] = api.requests.slice(before)
    const { Url: url, StatusCallback: statusUrl, ...fields } = (dialed?.fields ?? {}) as Record<string, string>
    expect(dialed?.method).toBe('POST')
    expect(fields).toMatchObject({
      To: '+493012345678',
      From: number.e164,
      StatusCallbackEvent: 'initiated ringing answered completed',
      ...(carrier === 'twilio'
        ? { Timeout: '45', TimeLimit: '70' }
        : { Timeout: 45, TimeLimit: 70, ApplicationSid: 'application-1' }),
    })
    await until(async () => (await get(created.id)).carrier?.id != null)
    const sid = (await get(created.id)).carrier.id
    expect((await ask(carrier, pathOf(statusUrl ?? ''), { CallSid: sid, CallStatus: 'ringing' })).status).toBe(204)
    expect((await get(created.id)).status).toBe('ringing')
    const { text } = await ask(carrier, pathOf(url ?? ''), { CallSid: sid, CallStatus: 'in-progress' })
    const stream = new CarrierStream(instructionsOf(text).media, carrier, sid)
    await until(() => stream.ear.join(' ') === 'Good morning caller.')
    // Late, and of a call that is in progress.
    await ask(carrier, pathOf(statusUrl ?? ''), { CallSid: sid, CallStatus: 'busy' })
    expect(await get(created.id)).toMatchObject({ status: 'in_progress', worker_generations: 1 })
    await app.send('post', `/v1/calls/${created.id}/stop`)
    await stream.closed
    expect(await get(created.id)).toMatchObject({ status: 'completed', ended_reason: 'api_stop' })
    expect(movesOf(created.id)).toEqual(['held', 'begun', 'settled'])
    expect(api.requests.length - before).toBe(1)
  }, 60_000)

  it('refuses requests that the carrier of the number did not sign, with one answer for all', async () => {
    const { number } = await newNumber(carrier)
    const fields = { CallSid: 'CA1', From: '+4930999' }
    const body = new URLSearchParams(fields).toString()
    const url = `${origin}${voicePath(number)}`
    const absent = number.id.replace(/.{4}$/, '0000')
    const other = carrier === 'twilio' ? 'telnyx' : 'twilio'
    const answers = [
      await ask(carrier, voicePath(number), fields, {}),
      await ask(carrier, voicePath(number), fields, signedHeaders(carrier, { url: `${url}x`, body: 'CallSid=other' })),
      await ask(carrier, voicePath(number), fields, signedHeaders(other, { url, body })),
      await ask(carrier, `/carriers/${carrier}/${absent}/voice`, fields),
      await ask(carrier, `/carriers/${other}/${number.id}/voice`, fields),
      await ask(carrier, `/carriers/${carrier}/${number.id}/status`, fields, {}),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await callsOf(number.id)).toEqual([])
  })
})

it('calls back audio within 200 ms when it is told to, and writes what was heard', async () => {
  const { number } = await newNumber(
    'twilio',
    {},
    { first_message: 'One two three four five six seven eight nine ten eleven twelve.' },
  )
  const { text } = await ask('twilio', voicePath(number), { CallSid: 'CAbarge' })
  const stream = new CarrierStream(instructionsOf(text).media, 'twilio', 'CAbarge')
  await until(() => stream.ear.length >= 4)
  const [{ id }] = await callsOf(number.id)
  // The worker looks for what the API asks every 250 ms.
  const askedMs = performance.now()
  await app.send('post', `/v1/calls/${id}/say`, { body: { text: 'Stop.', interrupt: true } })
  await until(() => stream.clears.length === 1)
  expect((stream.clears[0] ?? 0) - askedMs).toBeLessThan(250 + 200)
  await until(() => stream.ear.at(-1) === 'Stop.')
  const heard = stream.ear.slice(0, -1).join(' ')
  stream.hangUp()
  await until(async () => (await get(id)).status === 'completed')
  const [first] = (await get(id)).transcript
  expect(first.interrupted).toBe(true)
  // Never more than was heard, and shorter by two words at most.
  expect(heard.startsWith(first.text)).toBe(true)
  expect(heard.split(' ').length - first.text.split(' ').length).toBeLessThanOrEqual(2)
}, 60_000)

it('goes on with another connection when the stream is lost, and knows a webhook that comes twice', async () => {
  const { number } = await newNumber('twilio')
  const fields = { CallSid: 'CAlost', From: '+4930999' }
  const first = instructionsOf((await ask('twilio', voicePath(number), fields)).text)
  const again = instructionsOf((await ask('twilio', voicePath(number), fields)).text)
  expect(await callsOf(number.id)).toHaveLength(1)
  // The token of the first answer is not accepted any more, and each one once.
  const stale = new CarrierStream(first.media, 'twilio', 'CAlost')
  await stale.closed
  const foreign = new CarrierStream(again.media, 'twilio', 'CAother')
  await foreign.closed
  const stream = new CarrierStream(again.media, 'twilio', 'CAlost')
  await until(() => stream.ear.join(' ') === 'Good morning caller.')
  stream.lose()
  await stream.closed
  const resumed = instructionsOf((await ask('twilio', again.after, fields)).text)
  const next = new CarrierStream(resumed.media, 'twilio', 'CAlost')
  await until(() => next.ear.length > 3)
  const [{ id }] = await callsOf(number.id)
  expect(await get(id)).toMatchObject({ status: 'in_progress', worker_generations: 2 })
  next.hangUp()
  await until(async () => (await get(id)).status === 'completed')
}, 60_000)

it.each([
  ['busy', 'busy', 'busy'],
  ['no-answer', 'no_answer', 'no_answer'],
  ['failed', 'failed', 'carrier_error'],
])(
  'ends a call that is %s, once, and gives back what was held',
  async (CallStatus, status, ended_reason) => {
    const { number, agentId } = await newNumber('twilio')
    const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id }
    const { body } = await app.send('post', '/v1/calls/create', { body: order })
    await until(async () => (await get(body.id)).carrier?.id != null)
    const sid = (await get(body.id)).carrier.id
    const path = `/carriers/twilio/${number.id}/status?call=${body.id}`
    for (let time = 0; time < 2; time++) await ask('twilio', path, { CallSid: sid, CallStatus })
    expect(await get(body.id)).toMatchObject({ status, ended_reason, answered_at: null })
    expect(movesOf(body.id)).toEqual(['held', 'released'])
  },
  60_000,
)

it('hangs up at the carrier when a call that rings is stopped, and refuses what it cannot do', async () => {
  const { number, agentId } = await newNumber('twilio')
  const order = { agent_id: agentId, to_number: '+493012345678', number_id: number.id }
  const { body } = await app.send('post', '/v1/calls/create', { body: order })
  await until(async () => (await get(body.id)).carrier?.id != null)
  const before = api.requests.length
  await app.send('post', `/v1/calls/${body.id}/stop`)
  await until(async () => (await get(body.id)).status === 'canceled')
  await until(() => api.requests.length > before)
  expect(api.requests.at(-1)).toMatchObject({ method: 'POST', fields: { Status: 'completed' } })
  expect(api.requests.at(-1)?.path).toMatch(/\/Calls\/CA\d+\.json$/)
  api.state.dialStatus = 400
  const { body: refused } = await app.send('post', '/v1/calls/create', { body: order })
  await until(async () => (await get(refused.id)).ended_at !== null)
  api.state.dialStatus = 201
  expect(await get(refused.id)).toMatchObject({ status: 'failed', ended_reason: 'invalid_number' })
}, 60_000)

it('adds only numbers that the account has, shows no secret, and checks them', async () => {
  const { number } = await newNumber('twilio', { fallback_number: '+493055555555' })
  expect(number).toMatchObject({
    sip: null,
    telnyx: null,
    twilio: { account_sid: accountSid, voice_url: `${origin}${voicePath(number)}` },
  })
  expect(JSON.stringify(number)).not.toContain(authToken)
  const check = () => app.send('post', `/v1/numbers/${number.id}/check`)
  expect((await check()).body).toMatchObject({ ok: true, answered_ms: expect.any(Number) })
  api.numbers.delete(number.e164)
  expect((await check()).body).toMatchObject({ ok: false, answered_ms: null })
  const create = (more: object) =>
    app.send('post', '/v1/numbers', {
      body: { e164: '+493099999999', provider: 'twilio', ...accounts.twilio, ...more },
    })
  for (const more of [
    {},
    { twilio: { account_sid: accountSid, auth_token: 'wrong-token' } },
    { twilio: undefined },
    accounts.telnyx,
  ]) {
    expect((await create(more)).status).toBe(400)
  }
}, 60_000)

it('reads the numbers that a flood of webhooks names with few connections', async () => {
  const { number } = await newNumber('twilio')
  const id = uuidOf('voiceNumber', number.id)
  const pool = connectPool({ databaseUrl: app.databaseUrl, role: 'ratchet_voice', max: 50 })
  try {
    const carrierCalls = createPgCarrierCalls(pool)
    const flood = Array.from({ length: 2_000 }, () => carrierCalls.number(randomUUID()))
    expect(await carrierCalls.number(id ?? '')).toMatchObject({ id, provider: 'twilio' })
    expect(new Set(await Promise.all(flood))).toEqual(new Set([null]))
    expect(pool.totalCount).toBeLessThan(5)
  } finally {
    await pool.end()
  }
})
