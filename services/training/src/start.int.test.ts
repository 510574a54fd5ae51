import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@ratchet/service-kit/process/config'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { startTraining, TrainingConfig } from './start.ts'
import { startTrainingWorker, TrainingWorkerConfig } from './start-worker.ts'

let database: FreshDatabase
let folder = ''
const stops: (() => unknown)[] = []
const lifecycle = { onStop: (stop: () => unknown) => void stops.push(stop), hurry: new AbortController().signal }

const keyOf = (caller: string) => `${caller}k1:${randomBytes(32).toString('base64')}`

function environment(): NodeJS.ProcessEnv {
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    INFERENCE_URL: 'http://127.0.0.1:1',
    LOGGING_URL: 'http://127.0.0.1:1',
    EVAL_URL: 'http://127.0.0.1:1',
    JUDGING_URL: 'http://127.0.0.1:1',
    JUDGING_KEYS: keyOf('training.'),
    ALIAS_URL: 'http://127.0.0.1:1',
    INFERENCE_KEYS: keyOf('training.'),
    EVAL_KEYS: keyOf('training.'),
    ALIAS_KEYS: keyOf('training.'),
    LOGGING_KEYS: keyOf('training.'),
    IDENTITY_KEYS: keyOf(''),
    JOB_TOKEN_KEYS: keyOf(''),
    ENCRYPTION_KEYS: keyOf(''),
    ARTIFACTS_DIR: folder,
    TRAINER_URL: 'http://127.0.0.1:1',
    DRAIN_DELAY_MS: '0',
    DRAIN_TIMEOUT_MS: '0',
  }
}

beforeAll(async () => {
  database = await freshDatabase()
  folder = await mkdtemp(join(tmpdir(), 'training-'))
})
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

it('starts an API that is ready, and lets trainers in by their token alone', async () => {
  const port = await startTraining(loadConfig(TrainingConfig, environment()), silentLogger, lifecycle)
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
  await eventually(async () => expect(await statusOf('/readyz')).toBe(200))
  const answer = await fetch(`http://127.0.0.1:${port}/internal/trainer/v1/spec`)
  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
    401,
    'invalid_job_token',
  ])
  expect(await statusOf(`/internal/trainer/v1/artifacts/${'0'.repeat(64)}`)).toBe(400)
  expect(await statusOf('/v1/fine_tuning/jobs')).toBe(401)
})

it('starts a worker that is ready, and counts what it does', async () => {
  const port = await startTrainingWorker(loadConfig(TrainingWorkerConfig, environment()), silentLogger, lifecycle)
  const read = async (path: string) => await fetch(`http://127.0.0.1:${port}${path}`)
  await eventually(async () => expect((await read('/readyz')).status).toBe(200))
  expect(await (await read('/metrics')).text()).toContain('ratchet_training_job_steps_total{step="charge"')
})
