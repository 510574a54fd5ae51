import { createHash, randomUUID } from 'node:crypto'
import { type TrainerCall, trainerCalls } from '@ratchet/contracts/trainer-protocol'
import { type TrainingRun, trainingRun } from '../driver/training-run.fixture.ts'
import { initialAdapter, trainStep } from '../trainers/sim/sim-model.ts'
import { writeSafetensors } from '../trainers/sim/write-safetensors.ts'
import { attemptSettings } from './attempt.fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

let run: TrainingRun

beforeAll(async () => {
  run = await trainingRun({ attemptLeaseMs: 60_000 })
})
afterAll(() => run.drop())

/** A running attempt of a new job, without any worker. */
async function attemptOf(jobId?: string, generation = 1) {
  const id = jobId ?? (await run.createJob())
  const { workspace_id: workspaceId } = await run.job(id)
  await run.operator.query(`UPDATE training_job SET status = 'running' WHERE id = $1`, [id])
  await run.operator.query(
    `INSERT INTO training_attempt (job_id, generation, workspace_id, trainer, started_at, lease_until)
     VALUES ($1, $2, $3, 'sim', now(), now() + interval '1 minute')`,
    [id, generation, workspaceId],
  )
  return { id, token: run.tokens.issue({ jobId: id, generation }) }
}

async function supersede(id: string): Promise<void> {
  await run.operator.query(`UPDATE training_attempt SET ended_at = now(), exit = 'lost' WHERE job_id = $1`, [id])
}

async function send(call: TrainerCall, token: string, body?: object): Promise<{ status: number; body: Json }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = call.method === 'get' ? { headers } : { method: 'POST', headers, body: JSON.stringify(body ?? {}) }
  const answer = await fetch(run.url + call.path, init)
  return { status: answer.status, body: await answer.json() }
}

const settings = { ...attemptSettings(), kind: 'supervised' as const, seed: 1, dataset: { sha256: 'ab'.repeat(32) } }
/** A valid adapter that no other test has. */
const adapterBytes = () => {
  const seed = Math.floor(performance.now() * 1_000) % 2_000_000_000
  return writeSafetensors(trainStep({ ...settings, seed }, initialAdapter({ ...settings, seed }), 1))
}
const fileOf = (name: string, bytes: Buffer, kind = 'adapter') => ({
  name,
  kind,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  bytes: bytes.length,
})
const put = (url: string, bytes: Buffer) => fetch(new URL(url, run.url), { method: 'PUT', body: new Uint8Array(bytes) })
const heartbeat = { step: 1, phase: 'training' }
const message = (text: string) => ({ type: 'message', at: '2026-01-01T00:00:00Z', level: 'info', message: text })

async function begin(token: string, step: number, bytes: Buffer) {
  const files = [fileOf('adapter_model.safetensors', bytes)]
  return await send(trainerCalls.beginCheckpoint, token, { step, files })
}

it('gives an attempt all that it needs', async () => {
  const { token } = await attemptOf()
  const { status, body } = await send(trainerCalls.spec, token)
  expect(status).toBe(200)
  expect(body).toMatchObject({ protocol: 1, attempt: 1, kind: 'supervised', seed: 7, resume: null, warm_start: null })
  const data = await (await fetch(new URL(body.dataset.url, run.url))).arrayBuffer()
  expect(createHash('sha256').update(Buffer.from(data)).digest('hex')).toBe(body.dataset.sha256)
})

it.each(['', 'rtj1', `rtj1.${'0'.repeat(32)}.1.${'0'.repeat(64)}`])('refuses the token "%s"', async (token) => {
  for (const call of [trainerCalls.spec, trainerCalls.result]) {
    const { status, body } = await send(call, token)
    expect([status, body.error.code]).toEqual([401, 'invalid_job_token'])
  }
})

it('refuses every call of an attempt that was superseded, and stores nothing of it', async () => {
  const { id, token } = await attemptOf()
  const bytes = adapterBytes()
  const { body } = await begin(token, 2, bytes)
  await put(body.uploads[0].url, bytes)
  await supersede(id)
  const current = await attemptOf(id, 2)
  const files = [fileOf('adapter_model.safetensors', bytes)]
  const calls: [TrainerCall, object][] = [
    [trainerCalls.spec, {}],
    [trainerCalls.heartbeat, heartbeat],
    [trainerCalls.events, { from_seq: 1, items: [message('late')] }],
    [trainerCalls.beginCheckpoint, { step: 2, files }],
    [trainerCalls.commitCheckpoint, { step: 2, trained_tokens: 2_000 }],
    [
      trainerCalls.fingerprint,
      { step: 2, chat_template_sha256: null, probes: [{ probe: 0, token_ids: [], logprobs: [] }] },
    ],
    [trainerCalls.result, { step: 2 }],
    [trainerCalls.failure, { code: 'diverged', message: 'late', retryable: false }],
    [trainerCalls.stopped, { reason: 'pause', step: 2 }],
  ]
  for (const [call, sent] of calls) {
    const answer = await send(call, token, sent)
    expect([call.path, answer.status, answer.body.error?.code]).toEqual([call.path, 409, 'attempt_superseded'])
  }
  expect(await run.checkpoints(id)).toEqual([])
  expect((await run.job(id)).event_seq).toBe(0)
  expect((await send(trainerCalls.heartbeat, current.token, heartbeat)).body.command).toBe('continue')
})

it('does not let an attempt complete a checkpoint that another one began again', async () => {
  const { id, token } = await attemptOf()
  const bytes = adapterBytes()
  const { body } = await begin(token, 2, bytes)
  await put(body.uploads[0].url, bytes)
  await supersede(id)
  const current = await attemptOf(id, 2)
  const committed = await send(trainerCalls.commitCheckpoint, current.token, { step: 2, trained_tokens: 2_000 })
  expect(committed.body.error).toMatchObject({ code: 'invalid_request', message: 'Begin the checkpoint first.' })
  await put((await begin(current.token, 2, bytes)).body.uploads[0].url, bytes)
  const again = await send(trainerCalls.commitCheckpoint, current.token, { step: 2, trained_tokens: 2_000 })
  expect(again.status).toBe(200)
})

it('stores an event once, however often it is sent', async () => {
  const { id, token } = await attemptOf()
  const items = [message('one'), message('two'), { type: 'log', at: '2026-01-01T00:00:00Z', line: 'not stored' }]
  expect((await send(trainerCalls.events, token, { from_seq: 1, items })).body).toEqual({ next_seq: 4 })
  expect((await send(trainerCalls.events, token, { from_seq: 1, items })).body).toEqual({ next_seq: 4 })
  const overlap = { from_seq: 3, items: [items[2], message('three')] }
  expect((await send(trainerCalls.events, token, overlap)).body).toEqual({ next_seq: 5 })
  const gap = { from_seq: 9, items: [message('nine')] }
  expect((await send(trainerCalls.events, token, gap)).body).toEqual({ next_seq: 5 })
  const { rows } = await run.operator.query('SELECT seq, message FROM training_event WHERE job_id = $1 ORDER BY seq', [
    id,
  ])
  expect(rows).toEqual([
    { seq: 1, message: 'one' },
    { seq: 2, message: 'two' },
    { seq: 3, message: 'three' },
  ])
})

it('stores no more than 10,000 events of a job, says so once, and goes on with the metrics of its steps', async () => {
  const { id, token } = await attemptOf()
  await run.operator.query('UPDATE training_job SET event_seq = 9999 WHERE id = $1', [id])
  const metrics = (step: number) => ({ type: 'metrics', at: '2026-01-01T00:00:00Z', step, values: { train_loss: 1 } })
  const items = [message('last'), message('beyond'), metrics(3), metrics(9)]
  expect((await send(trainerCalls.events, token, { from_seq: 1, items })).body).toEqual({ next_seq: 5 })
  expect((await send(trainerCalls.events, token, { from_seq: 5, items })).body).toEqual({ next_seq: 9 })
  const read = async (text: string) => (await run.operator.query(text, [id])).rows
  expect(await read('SELECT level, message FROM training_event WHERE job_id = $1 ORDER BY seq')).toEqual([
    { level: 'info', message: 'last' },
    { level: 'warn', message: expect.stringContaining('10000 events') },
  ])
  expect(await read('SELECT step FROM training_metric WHERE job_id = $1')).toEqual([{ step: 3 }])
})

it('counts a stop that nobody asked for as lost when nothing was saved before it', async () => {
  const { id, token } = await attemptOf()
  const stopped = { reason: 'preempted', step: 0 }
  expect((await send(trainerCalls.stopped, token, stopped)).status).toBe(200)
  expect(await run.job(id)).toMatchObject({ lost_attempts: 1 })
  expect((await run.attempts(id))[0]).toMatchObject({ exit: 'lost', error_code: 'trainer_lost', error_retryable: true })
  const asked = await attemptOf(id, 2)
  await run.operator.query(`UPDATE training_job SET asked = 'pause' WHERE id = $1`, [id])
  await send(trainerCalls.stopped, asked.token, stopped)
  await run.operator.query('UPDATE training_job SET asked = NULL WHERE id = $1', [id])
  const saving = await attemptOf(id, 3)
  const bytes = adapterBytes()
  await put((await begin(saving.token, 2, bytes)).body.uploads[0].url, bytes)
  await send(trainerCalls.commitCheckpoint, saving.token, { step: 2, trained_tokens: 2_000 })
  await send(trainerCalls.stopped, saving.token, stopped)
  expect((await run.attempts(id)).map(({ exit }) => exit)).toEqual(['lost', 'stopped', 'stopped'])
  expect((await run.job(id)).lost_attempts).toBe(1)
})

it('merges the figures of a step', async () => {
  const { id, token } = await attemptOf()
  const metrics = (values: object) => ({ type: 'metrics', at: '2026-01-01T00:00:00Z', step: 1, values })
  await send(trainerCalls.events, token, {
    from_seq: 1,
    items: [metrics({ train_loss: 2 }), metrics({ train_loss: 1 })],
  })
  await send(trainerCalls.events, token, { from_seq: 3, items: [metrics({ valid_loss: 3 })] })
  const { rows } = await run.operator.query('SELECT values FROM training_metric WHERE job_id = $1', [id])
  expect(rows.map(({ values }) => JSON.parse(values))).toEqual([{ train_loss: 1, valid_loss: 3 }])
})

it('stores no more than 64 figures of a step, however they are sent', async () => {
  const { id, token } = await attemptOf()
  const figures = (from: number, count: number) => ({
    type: 'metrics',
    at: '2026-01-01T00:00:00Z',
    step: 1,
    values: Object.fromEntries(Array.from({ length: count }, (_, index) => [`figure_${from + index}`, 1])),
  })
  await send(trainerCalls.events, token, { from_seq: 1, items: [figures(0, 60), figures(60, 5)] })
  await send(trainerCalls.events, token, { from_seq: 3, items: [figures(60, 4)] })
  expect((await send(trainerCalls.events, token, { from_seq: 4, items: [figures(64, 1)] })).status).toBe(200)
  const { rows } = await run.operator.query('SELECT values FROM training_metric WHERE job_id = $1', [id])
  expect(rows.map(({ values }) => Object.keys(JSON.parse(values)).length)).toEqual([64])
})

it.each(['a\0', '\ud800'])('refuses the name %j of a figure, which could not be merged', async (name) => {
  const { token } = await attemptOf()
  const items = [{ type: 'metrics', at: '2026-01-01T00:00:00Z', step: 1, values: { [name]: 1 } }]
  expect((await send(trainerCalls.events, token, { from_seq: 1, items })).status).toBe(400)
})

it('stores an event without its data when that is nested too deeply', async () => {
  const { id, token } = await attemptOf()
  const [open, close] = ['['.repeat(200_000), ']'.repeat(200_000)]
  const item = JSON.stringify(message('deep')).replace(/}$/, `,"data":{"a":${open}${close}}}`)
  const answer = await fetch(run.url + trainerCalls.events.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: `{"from_seq":1,"items":[${item}]}`,
  })
  expect([answer.status, await answer.json()]).toEqual([200, { next_seq: 2 }])
  const { rows } = await run.operator.query('SELECT message, data FROM training_event WHERE job_id = $1', [id])
  expect(rows).toEqual([{ message: 'deep', data: null }])
})

it('makes a checkpoint durable only when its bytes are there', async () => {
  const { id, token } = await attemptOf()
  const bytes = adapterBytes()
  const { body: begun } = await begin(token, 2, bytes)
  const commit = () => send(trainerCalls.commitCheckpoint, token, { step: 2, trained_tokens: 2_000 })
  const missing = await commit()
  expect([missing.status, missing.body.error.code]).toEqual([409, 'checkpoint_incomplete'])
  await put(begun.uploads[0].url, Buffer.from(bytes).fill(1))
  expect((await commit()).status).toBe(409)
  expect(await run.checkpoints(id)).toEqual([])
  await put(begun.uploads[0].url, bytes)
  const committed = await commit()
  expect(committed.body).toMatchObject({ step: 2, trained_tokens: 2_000, stop: false })
  expect((await commit()).body).toEqual(committed.body)
  expect((await begin(token, 2, bytes)).body.uploads[0].url).toBeNull()
  expect(await run.checkpoints(id)).toHaveLength(1)
})

it('gives no workspace the content of another one for its hash', async () => {
  const [owner, { id, token }] = [await attemptOf(), await attemptOf()]
  const { train_sha256: sha256 } = await run.job(owner.id)
  const { rows } = await run.operator.query('SELECT bytes::int FROM artifact WHERE sha256 = $1', [sha256])
  await run.operator.query('DELETE FROM artifact_reference WHERE holder = $1', [id])
  const bytes = adapterBytes()
  const stolen = { name: 'optimizer.pt', kind: 'state', sha256, bytes: rows[0].bytes }
  const files = [fileOf('adapter_model.safetensors', bytes), stolen]
  const { body } = await send(trainerCalls.beginCheckpoint, token, { step: 2, files })
  expect(body.uploads.map(({ url }: Json) => typeof url)).toEqual(['string', 'string'])
  await put(body.uploads[0].url, bytes)
  await put(body.uploads[1].url, Buffer.alloc(stolen.bytes))
  for (const _ of [1, 2]) {
    const committed = await send(trainerCalls.commitCheckpoint, token, { step: 2, trained_tokens: 2_000 })
    expect(committed.body.error).toMatchObject({
      code: 'checkpoint_incomplete',
      details: { files: [{ name: 'optimizer.pt' }] },
    })
  }
  expect(await run.checkpoints(id)).toEqual([])
})

it('gives up what was uploaded for a checkpoint that was begun again with other files', async () => {
  const { id, token } = await attemptOf()
  const [state, other, bytes] = [Buffer.from(randomUUID()), Buffer.from(randomUUID()), adapterBytes()]
  const adapter = fileOf('adapter_model.safetensors', bytes)
  const beginWith = async (file: Buffer) => {
    const files = [adapter, fileOf('optimizer.pt', file, 'state')]
    return (await send(trainerCalls.beginCheckpoint, token, { step: 4, files })).body.uploads
  }
  const commit = async () =>
    (await send(trainerCalls.commitCheckpoint, token, { step: 4, trained_tokens: 4_000 })).status
  const [, first] = await beginWith(state)
  await put(first.url, state)
  expect(await commit()).toBe(409)
  expect((await beginWith(state))[1].url).toBeNull()
  const uploads = await beginWith(other)
  for (const [index, content] of [bytes, other].entries()) await put(uploads[index].url, content)
  expect(await commit()).toBe(200)
  const { rows } = await run.operator.query(
    'SELECT r.sha256 FROM artifact_reference r JOIN checkpoint c ON c.id = r.holder WHERE c.job_id = $1 ORDER BY 1',
    [id],
  )
  const hashes = [adapter.sha256, fileOf('', other).sha256]
  expect(rows.map(({ sha256 }) => sha256)).toEqual(hashes.toSorted())
})

it('stores two files with the same bytes', async () => {
  const { id, token } = await attemptOf()
  const [bytes, same] = [adapterBytes(), Buffer.from(randomUUID())]
  const files = [
    fileOf('adapter_model.safetensors', bytes),
    ...['one.pt', 'two.pt'].map((name) => fileOf(name, same, 'state')),
  ]
  const { uploads } = (await send(trainerCalls.beginCheckpoint, token, { step: 2, files })).body
  for (const [index, content] of [bytes, same, same].entries()) await put(uploads[index].url, content)
  const committed = await send(trainerCalls.commitCheckpoint, token, { step: 2, trained_tokens: 2_000 })
  expect(committed.status).toBe(200)
  expect(await run.checkpoints(id)).toHaveLength(1)
})

it('leaves nothing in the store of a checkpoint that is never completed', async () => {
  const { token } = await attemptOf()
  const bytes = adapterBytes()
  const { body } = await begin(token, 2, bytes)
  await put(body.uploads[0].url, bytes)
  const { sha256 } = fileOf('adapter_model.safetensors', bytes)
  const { rows } = await run.operator.query('SELECT * FROM artifact WHERE sha256 = $1', [sha256])
  expect(rows).toHaveLength(1)
})

it('never charges more tokens than the job has, nor fewer than before', async () => {
  const { token } = await attemptOf()
  const commit = async (step: number, tokens: number) => {
    const bytes = adapterBytes()
    const { body } = await begin(token, step, bytes)
    if (body.uploads[0].url !== null) await put(body.uploads[0].url, bytes)
    return (await send(trainerCalls.commitCheckpoint, token, { step, trained_tokens: tokens })).body.trained_tokens
  }
  expect(await commit(2, 3_000)).toBe(3_000)
  expect(await commit(4, 1_000)).toBe(3_000)
  expect(await commit(6, 999_999)).toBe(8_000)
})

it.each([
  ['a pickle', 'adapter_model.safetensors', Buffer.from(`\x80\x04${randomUUID()}`), 'commit'],
  ['a type that may contain code', 'adapter_model.bin', Buffer.from('x'), 'begin'],
  ['a script', 'modeling.py', Buffer.from('x'), 'begin'],
])('refuses %s as part of a model', async (_what, name, bytes, at) => {
  const { id, token } = await attemptOf()
  const begun = await send(trainerCalls.beginCheckpoint, token, { step: 2, files: [fileOf(name, bytes)] })
  if (at === 'commit') await put(begun.body.uploads[0].url, bytes)
  const refused =
    at === 'begin' ? begun : await send(trainerCalls.commitCheckpoint, token, { step: 2, trained_tokens: 1 })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_artifact'])
  expect(await run.checkpoints(id)).toEqual([])
})

it('refuses steps that are durable, beyond the plan, or never begun', async () => {
  const { token } = await attemptOf()
  for (const step of [9, 10_000]) expect((await begin(token, step, adapterBytes())).status).toBe(400)
  expect((await send(trainerCalls.commitCheckpoint, token, { step: 4, trained_tokens: 1 })).status).toBe(400)
  expect((await send(trainerCalls.result, token, { step: 4 })).status).toBe(400)
})

it('hands on what was asked of the job', async () => {
  const { id, token } = await attemptOf()
  await run.operator.query(`UPDATE training_attempt SET command = 'pause' WHERE job_id = $1`, [id])
  const { body } = await send(trainerCalls.heartbeat, token, heartbeat)
  expect(body.command).toBe('pause')
  expect(new Date(body.lease_until).getTime()).toBeGreaterThan(performance.timeOrigin)
  expect(await run.job(id)).toMatchObject({ step: 1, phase: 'training' })
})

it('shows no more epochs than the job has', async () => {
  const { id, token } = await attemptOf()
  await send(trainerCalls.heartbeat, token, { ...heartbeat, epoch: 1e308 })
  expect((await run.job(id)).epoch).toBe(2)
  const bytes = adapterBytes()
  const { body } = await begin(token, 2, bytes)
  await put(body.uploads[0].url, bytes)
  await send(trainerCalls.commitCheckpoint, token, { step: 2, trained_tokens: 2_000, epoch: 1e308 })
  expect([(await run.job(id)).epoch, (await run.checkpoints(id))[0].epoch]).toEqual([2, 2])
})

it('shows no more steps than the job has', async () => {
  const { id, token } = await attemptOf()
  await send(trainerCalls.heartbeat, token, { ...heartbeat, step: 10_000 })
  const { step, total_steps: total } = await run.job(id)
  expect(step).toBe(total)
})

it('lets an attempt announce as many bytes as its plan can need, however often it begins a checkpoint', async () => {
  const { token } = await attemptOf()
  const tooMany = async (count: number): Promise<number> => {
    const sizes = Array.from({ length: 4 }, (_, index) => ({
      ...fileOf(`state-${index}.bin`, Buffer.from(`${count} ${index}`), 'state'),
      bytes: 4_096 * 1_048_576,
    }))
    const { status, body } = await send(trainerCalls.beginCheckpoint, token, { step: 2, files: sizes })
    if (status === 200) return tooMany(count + 1)
    expect([status, body.error.code]).toEqual([400, 'invalid_artifact'])
    expect(body.error.details.files).toEqual([{ name: '*', problem: expect.stringContaining('this attempt') }])
    return count
  }
  const begun = await tooMany(0)
  expect(begun).toBeGreaterThan(8)
  expect(begun).toBeLessThan(40)
})
