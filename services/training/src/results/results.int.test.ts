import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { eventually } from '@ratchet/testing/eventually'
import type { DrivenJob } from '../driver/driver-store.ts'
import { type TrainingRun, trainingRun } from '../driver/training-run.fixture.ts'
import { createPgResults } from './pg-results.ts'
import { writeResults } from './write-results.ts'

interface Piece {
  readonly position: number
  readonly text: string
  readonly total_bytes: number
  readonly is_last: boolean
  readonly purpose: string
}

let run: TrainingRun
let pieces: (Piece & { readonly fileId: string })[] = []
let refusals: Error[] = []
let notes: string[] = []

const write = (job: DrivenJob) =>
  writeResults(
    {
      results: createPgResults(run.pool),
      logging: {
        call: (async (_: unknown, { params, body }: { params: { file_id: string }; body: Piece }) => {
          const refusal = refusals.shift()
          if (refusal !== undefined) throw refusal
          pieces.push({ ...body, fileId: params.file_id })
          return { bytes: body.total_bytes }
        }) as never,
      },
      note: async (_, message) => void notes.push(message),
    },
    job,
  )

beforeAll(async () => {
  run = await trainingRun({ writeResults: write })
})
afterAll(() => run?.drop())
beforeEach(() => {
  pieces = []
  refusals = []
  notes = []
})

const ended = (id: string) =>
  eventually(
    async () => {
      const job = await run.job(id)
      expect(job.finished_at).not.toBeNull()
      return job
    },
    { withinMs: 30_000 },
  )

it('is written before a job ends, so that whoever sees the end sees the file', async () => {
  const id = await run.createJob()
  const worker = run.startWorker({ jobMs: 50 })
  const job = await ended(id)
  await worker.stop()
  expect(job).toMatchObject({ status: 'succeeded', result_file: pieces[0]?.fileId })
  const [header, ...lines] = pieces
    .map(({ text }) => text)
    .join('')
    .trimEnd()
    .split('\n')
  expect(header).toBe('step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy')
  const { rows } = await run.operator.query(
    'SELECT step, values FROM training_metric WHERE job_id = $1 ORDER BY step',
    [id],
  )
  expect(lines.map((line) => line.split(',').slice(0, 2).join(','))).toEqual(
    rows.map(({ step, values }) => `${step},${JSON.parse(values).train_loss ?? ''}`),
  )
  expect(pieces.at(-1)).toMatchObject({ is_last: true, purpose: 'fine-tune-results' })
})

it('is written again when that failed, and under the same id', async () => {
  refusals = [new FleetCallError('unavailable', { status: 0 })]
  const id = await run.createJob()
  const worker = run.startWorker({ jobMs: 50 })
  const job = await ended(id)
  await worker.stop()
  expect([job.status, job.result_file, notes]).toEqual(['succeeded', pieces[0]?.fileId, []])
})

it('does not keep a job from its end when nothing can store it', async () => {
  refusals = [new FleetCallError('The quota is used up.', { status: 403, code: 'quota_exceeded' })]
  const id = await run.createJob()
  const worker = run.startWorker({ jobMs: 50 })
  expect(await ended(id)).toMatchObject({ status: 'succeeded', result_file: null })
  await worker.stop()
  expect(notes).toEqual([expect.stringContaining('The quota is used up.')])
  const unavailable = () => new FleetCallError('unavailable', { status: 0 })
  const job = { id, workspaceId: (await run.job(id)).workspace_id, createdBy: id } as DrivenJob
  refusals = [unavailable(), unavailable()]
  await expect(write({ ...job, attempts: 4 })).rejects.toThrow('unavailable')
  expect(await write({ ...job, attempts: 5 })).toBeNull()
})

it('has several pieces when there are many steps, and none without figures', async () => {
  const id = await run.createJob()
  const { workspace_id: workspaceId } = await run.job(id)
  const job = { id, workspaceId, createdBy: id, attempts: 0 } as DrivenJob
  expect(await write(job)).toBeNull()
  const text = `INSERT INTO training_metric (job_id, step, workspace_id, at, values)
    SELECT $1, n, $2, now(), '{"train_loss": 1}' FROM generate_series(1, 10001) n`
  await run.operator.query(text, [id, workspaceId])
  expect(await write(job)).toBe(pieces[0]?.fileId)
  expect(pieces.map(({ position, is_last: isLast }) => [position, isLast])).toEqual([
    [0, false],
    [1, false],
    [2, true],
  ])
  const all = pieces.map((piece) => piece.text).join('')
  expect([all.split('\n').length, pieces.at(-1)?.total_bytes]).toEqual([10_003, Buffer.byteLength(all)])
  await run.operator.query("UPDATE training_job SET status = 'cancelled', finished_at = now() WHERE id = $1", [id])
})
