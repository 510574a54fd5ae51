import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ioFor, type Ran, runGrpoCommand } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { grpoRun, runId } from './runs.fixture.ts'

const runs = '/v1/grpo/runs'
let api: ScriptedApi
let folder: string

beforeEach(async () => {
  api = await startScriptedApi()
  folder = await mkdtemp(join(tmpdir(), 'cli-grpo-'))
})
afterEach(async () => {
  await api.stop()
  await rm(folder, { recursive: true, force: true })
})

const grpo = (line: string): Promise<Ran> => runGrpoCommand(ioFor(api), line)

it('starts a run from a file, and says how to watch it', async () => {
  const file = join(folder, 'run.json')
  await writeFile(file, JSON.stringify({ baseModel: 'sim/small' }))
  api.answers(`POST ${runs}`, { status: 202, body: grpoRun() })
  const { code, out, err } = await grpo(`run --file ${file}`)
  expect([code, out]).toEqual([0, `${runId}\n`])
  expect(err).toContain(`\`ratchet grpo watch ${runId}\` shows its progress.`)
})

it('refuses a file that is not JSON', async () => {
  const file = join(folder, 'run.json')
  await writeFile(file, '{')
  const { code, err } = await grpo(`run --file ${file}`)
  expect(code).toBe(1)
  expect(err).toContain('cannot be read as JSON')
})

it('watches a run until its candidate waits', async () => {
  const run = grpoRun({
    status: 'awaiting_adoption',
    best_step: 10,
    model: 'ft:small',
    reward_baseline: 0.4,
    reward_current: 0.8,
  })
  api.answers(`GET ${runs}/${runId}`, { body: run })
  const { code, out } = await grpo(`watch ${runId}`)
  expect(code).toBe(0)
  expect(out).toMatch(/reward +0\.400 -> 0\.800[\s\S]*best step +10[\s\S]*model +ft:small/)
})

it('fails for a run that is paused, and says why', async () => {
  const run = grpoRun({
    status: 'paused',
    paused_reason: 'reward_diverged',
    status_message: 'Its judges are exploited.',
  })
  api.answers(`GET ${runs}/${runId}`, { body: run })
  const { code, out } = await grpo(`watch ${runId}`)
  expect(code).toBe(1)
  expect(out).toContain('paused: Its judges are exploited.')
})

it('shows the looks of the guard, and fails when it is diverging', async () => {
  const look = {
    step: 20,
    at: '2026-11-30T00:00:00.000Z',
    reward_mean: 0.8,
    train_judge: { rate: 0.8, ci: [0.7, 0.9] },
    holdout_judge: { rate: 0.5, ci: [0.4, 0.6] },
    gap: { estimate: 0.3, lower: 0.2 },
    holdout_gain: { estimate: 0.1, upper: 0.2 },
    human: { graded: 30, false_pass: 4, upper: 0.28 },
    verdict: 'diverging',
  }
  const guard = {
    object: 'grpo.guard',
    run_id: runId,
    verdict: 'diverging',
    action: 'pause',
    margin: 0.05,
    looks: [look],
  }
  const counts = { planned_looks: 11, prompts: 64, samples_per_prompt: 4, best_step: null }
  api.answers(`GET ${runs}/${runId}/guard`, { body: { ...guard, ...counts } })
  const { code, out } = await grpo(`guard ${runId}`)
  expect(code).toBe(1)
  expect(out).toMatch(/20 .*0\.30 +0\.20 +4 of 30 failed +diverging/)
})

it('lists runs', async () => {
  const page = { candidates_waiting: 0, active: 1, queued: 0, total: 1, limit: 50, offset: 0, has_more: false }
  api.answers(`GET ${runs}`, { body: { runs: [grpoRun()], ...page } })
  expect((await grpo('list')).out).toContain(runId)
  expect((await grpo('watch job_1')).err).toContain('Expected an id')
})
