import { once } from 'node:events'
import { decodeMuLaw } from '@ratchet/audio/g711'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { eventually } from '@ratchet/testing/eventually'
import { createTestCall, joinCall, startTestWorker, type TestWorker, uuidOfCall } from '../calls/call-system.fixture.ts'
import { createPgCallUpkeep } from '../calls/pg-call-work.ts'
import { testWriters } from '../calls/test-writers.fixture.ts'
import { rejoin, workerProcesses } from '../calls/worker-processes.fixture.ts'
import { newAgent, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'

const sampleRate = 16_000
let app: TestVoiceApp
let worker: TestWorker
const processes = workerProcesses(() => app.databaseUrl)
beforeAll(async () => {
  app = await voiceApp()
  const writers = testWriters(() => 'Your parcel arrives tomorrow.')
  worker = await startTestWorker({ databaseUrl: app.databaseUrl, money: app.money.money, writers })
})
afterAll(async () => {
  processes.killAll()
  await worker.stop()
  await app.drop()
})

const agent = { recording_enabled: true, first_message: 'Hello there.' }
const get = async (id: string) => (await app.send('get', `/v1/calls/${id}`)).body
const ended = (id: string) =>
  eventually(async () => {
    const call = await get(id)
    expect(call.ended_at).not.toBeNull()
    return call
  })
const record = (id: string, headers = {}) => app.send('get', `/v1/calls/${id}/recording`, { headers, isBinary: true })

/** The words of each side of a file. */
function wordsOf(file: Buffer): readonly [string, string] {
  const both = decodeMuLaw(file.subarray(58))
  const words = [0, 1].map((side) => {
    const pcm = Int16Array.from({ length: both.length / 2 }, (_, i) => both[2 * i + side] ?? 0)
    const read = createToneReader(sampleRate).push(Int16Array.from([...pcm, ...new Int16Array(sampleRate)]))
    return read.map(({ text }) => text).join(' ')
  })
  return [words[0] ?? '', words[1] ?? '']
}

async function talk(changes: object = {}): Promise<{ readonly id: string; readonly file: Buffer }> {
  const { call } = await createTestCall(app, { agent: { ...agent, ...changes } })
  const caller = joinCall(call, worker)
  await eventually(() => expect(caller.ear.join(' ')).toContain('Hello there.'))
  caller.speak('Where is my parcel?')
  await eventually(() => expect(caller.ear.join(' ')).toContain('Your parcel arrives tomorrow.'))
  await eventually(() => caller.messages.some((each) => each.type === 'state' && each.state === 'listening'))
  caller.hangUp()
  await ended(call.id)
  const { body } = await record(call.id)
  return { id: call.id, file: body as Buffer }
}

it('records both sides, as they were heard, encrypted', async () => {
  const { id, file } = await talk()
  expect(wordsOf(file)).toEqual(['Where is my parcel?', 'Hello there. Your parcel arrives tomorrow.'])
  const { recording, duration_seconds: seconds } = await get(id)
  expect(recording).toMatchObject({ channels: 2, bytes: file.length, partial: false })
  expect(Math.abs(recording.duration_ms - seconds * 1_000)).toBeLessThan(1_000)
  const { rows } = await app.operator.query<{ sealed: Buffer; samples: number }>(
    'SELECT sealed, samples FROM call_recording_chunk WHERE call_id = $1 ORDER BY number',
    [uuidOfCall(id)],
  )
  expect(rows.length).toBeGreaterThan(2)
  // A second of both sides; sealed, it is nowhere as it was.
  const first = file.subarray(58, 58 + 200)
  expect(rows.some(({ sealed }) => sealed.includes(first))).toBe(false)
})

it('answers ranges, and whom the call belongs to only', async () => {
  const { id, file } = await talk()
  const part = await record(id, { range: 'bytes=100-70000' })
  expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 100-70000/${file.length}`])
  expect(file.subarray(100, 70_001).equals(part.body)).toBe(true)
  const last = await record(id, { range: 'bytes=-10' })
  expect(file.subarray(-10).equals(last.body)).toBe(true)
  const beyond = await record(id, { range: `bytes=${file.length}-` })
  expect([beyond.status, beyond.body.length]).toEqual([200, file.length])
  const by = crypto.randomUUID()
  const foreign = await app.send('get', `/v1/calls/${id}/recording`, { by })
  const absent = await app.send('get', '/v1/calls/call_00000000000000000000000000/recording', { by })
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND'])
  expect(foreign.body.error.code).toBe(absent.body.error.code)
}, 60_000)

it('stores nothing of a call that is not recorded', async () => {
  const { call } = await createTestCall(app, { agent: { first_message: 'Hello there.' } })
  const caller = joinCall(call, worker)
  await eventually(() => expect(caller.ear.join(' ')).toBe('Hello there.'))
  caller.hangUp()
  expect((await ended(call.id)).recording).toBeNull()
  expect((await app.send('get', `/v1/calls/${call.id}/recording`)).status).toBe(404)
  const { rowCount } = await app.operator.query('SELECT FROM call_recording_chunk WHERE call_id = $1', [
    uuidOfCall(call.id),
  ])
  expect(rowCount).toBe(0)
})

it('says first that the call is recorded, when the agent announces it', async () => {
  const { file } = await talk({ recording_consent: 'announce', consent_text: 'This call is recorded.' })
  expect(wordsOf(file)[1]).toContain('This call is recorded. Hello there.')
})

const asking = { ...agent, recording_consent: 'ask', consent_text: 'May I record this call?' }
const question = 'Hello there. May I record this call?'

/** A call whose caller answers the question, and then says something else. */
async function answer(said: string): Promise<string> {
  const { call } = await createTestCall(app, { agent: asking })
  const caller = joinCall(call, worker)
  await eventually(() => expect(caller.ear.join(' ')).toBe(question))
  for (const [i, text] of [said, 'Where is my parcel?'].entries()) {
    caller.speak(text)
    const replies = Array.from({ length: i + 1 }, () => 'Your parcel arrives tomorrow.')
    await eventually(() => expect(caller.ear.join(' ')).toBe([question, ...replies].join(' ')))
    await eventually(() => {
      const last = caller.messages.findLast(({ type }) => type === 'state')
      return last?.type === 'state' && last.state === 'listening'
    })
  }
  caller.hangUp()
  await ended(call.id)
  return call.id
}

it('records from the yes of the caller on, when the agent asks', async () => {
  const id = await answer('Yes.')
  expect(await get(id)).toMatchObject({ consent: 'granted', recording: { partial: false } })
  const [caller, spoken] = wordsOf((await record(id)).body as Buffer)
  expect(caller).toBe('Where is my parcel?')
  expect(spoken).toBe('Your parcel arrives tomorrow. Your parcel arrives tomorrow.')
  const { rows } = await app.operator.query<{ body: object; at_ms: number }>(
    "SELECT body, at_ms FROM call_event WHERE call_id = $1 AND kind = 'consent'",
    [uuidOfCall(id)],
  )
  expect(rows).toEqual([{ body: { answer: 'granted' }, at_ms: expect.any(Number) }])
}, 60_000)

it('stores no sound of a caller who says no, and goes on', async () => {
  const id = await answer('No, thank you.')
  expect(await get(id)).toMatchObject({ consent: 'refused', recording: null })
  const { rowCount } = await app.operator.query('SELECT FROM call_recording_chunk WHERE call_id = $1', [uuidOfCall(id)])
  expect(rowCount).toBe(0)
}, 60_000)

it('stores no sound of a caller who says nothing to it', async () => {
  const { call } = await createTestCall(app, { agent: asking })
  const caller = joinCall(call, worker)
  await eventually(() => expect(caller.ear.join(' ')).toBe(question))
  caller.hangUp()
  expect(await ended(call.id)).toMatchObject({ consent: null, recording: null })
})

it.each([
  [{ recording_consent: 'ask' }, 'consent_text'],
  [{ recording_consent: 'announce' }, 'consent_text'],
])('refuses an agent with %j', async (changes, field) => {
  const { status, body } = await app.send('post', '/v1/agents', {
    body: { ...newAgent, recording_enabled: true, ...changes },
  })
  expect(status).toBe(400)
  expect(body.error.message).toContain(field)
})

it('counts as stored bytes from the end of the call on, and is erased with it', async () => {
  const bytes = async () => {
    const { rows } = await app.operator.query<{ bytes: string }>(
      'SELECT coalesce(sum(bytes), 0)::text AS bytes FROM stored_bytes WHERE workspace_id = $1',
      [app.workspaceId],
    )
    return Number(rows[0]?.bytes)
  }
  const before = await bytes()
  const { id, file } = await talk()
  expect((await bytes()) - before).toBeGreaterThan(file.length)
  expect((await app.send('delete', `/v1/calls/${id}`)).status).toBe(200)
  expect((await bytes()) - before).toBeLessThan(20_000)
  expect((await app.send('get', `/v1/calls/${id}/recording`)).status).toBe(404)
  expect((await get(id)).recording).toBeNull()
})

it('is deleted when it is older than the agent keeps it', async () => {
  const { id } = await talk()
  await app.operator.query("UPDATE call SET expires_at = now() - interval '1 second' WHERE id = $1", [uuidOfCall(id)])
  await createPgCallUpkeep(app.pool).sweep(10)
  const { rowCount } = await app.operator.query('SELECT FROM call_recording_chunk WHERE call_id = $1', [uuidOfCall(id)])
  expect(rowCount).toBe(0)
})

it('loses at most the last second of a worker that is killed, and goes on with the next one', async () => {
  const long = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')
  const [first, second] = [await processes.start(), await processes.start()]
  const { call } = await createTestCall(app, { agent: { ...agent, first_message: long } })
  const caller = joinCall(call, first)
  await eventually(() => expect(caller.ear.length).toBeGreaterThan(12))
  const heard = caller.ear.length
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  const [, right] = wordsOf((await record(call.id)).body as Buffer)
  // A second has three to four words, and another one may be on its way to the caller.
  expect(right.split(' ').length).toBeGreaterThanOrEqual(heard - 6)
  // A busy machine may damage a word; those that are whole are in their order.
  const whole = new Set(right.split(' '))
  expect(long.split(' ').filter((word) => whole.has(word))).toEqual([...whole])
  const again = await rejoin(caller, call.id, [first, second])
  await eventually(() => expect(again.ear.join(' ')).toContain('cut out'))
  again.hangUp()
  await ended(call.id)
  const [, both] = wordsOf((await record(call.id)).body as Buffer)
  expect(both.startsWith(right)).toBe(true)
  expect(both).toContain('cut out')
}, 60_000)
