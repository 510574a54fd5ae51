import { apiKey } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { recordingIo } from '../recording-io.fixture.ts'
import { runCli } from '../run-cli.ts'

const id = 'csc_01980000000070008000000000000001'
const scanId = 'cscan_01980000000070008000000000000001'
const [cheap, good] = ['crit_01980000000070008000000000000001', 'crit_01980000000070008000000000000002']
const at = '2026-11-21T12:00:00.000Z'

let api: ScriptedApi
beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

async function run(line: string) {
  const env = { RATCHET_BASE_URL: api.baseUrl, RATCHET_API_KEY: apiKey, RATCHET_DATA_DIR: '/nonexistent/ratchet' }
  const io = recordingIo(env)
  const code = await runCli(['cascade', ...line.split(' ')], io)
  return { code, out: io.out(), err: io.err() }
}

const calibrationWith = (more: object = {}) => ({
  object: 'cascade.calibration',
  id: 'cscal_1',
  status: 'DONE',
  progress: { done: 80, total: 80 },
  error: null,
  void_reason: null,
  graded: 80,
  left_out: 0,
  unanswered: 0,
  ordinal: 1,
  error_probability: 0.025,
  is_proven: true,
  thresholds: [],
  coverage: 0.85,
  agreement: 0.95,
  agreement_ci: [0.91, 0.98],
  shares: [],
  usd_per_1000: 1,
  last_judge_usd_per_1000: 4,
  saving: 0.75,
  cost_usd: 0.5,
  created_at: at,
  finished_at: at,
  ...more,
})
const cascadeWith = (calibration: object | null) => ({
  object: 'cascade',
  id,
  name: 'Sound',
  members: [
    { criterion_id: cheap, verdicts: 5 },
    { criterion_id: good, verdicts: 1 },
  ],
  agreement: 0.9,
  confidence: 0.95,
  can_scan: calibration !== null,
  calibration,
  created_at: at,
})
const scanWith = (more: object = {}) => ({
  object: 'cascade.scan',
  id: scanId,
  cascade_id: id,
  status: 'DONE',
  progress: { done: 240, total: 240 },
  error: null,
  filters: {},
  sample_count: 200,
  matched: 900,
  decided: 170,
  undecided: 30,
  unjudged: 0,
  undecided_share: 0.15,
  raw_fail_rate: 0.12,
  corrected_fail_rate: 0.1,
  corrected_ci: [0.06, 0.15],
  fail_rate_bounds: [0.05, 0.28],
  shares: [],
  cost_usd: 0.2,
  created_at: at,
  finished_at: at,
  ...more,
})

it('creates a cascade of judges in their order, with verdicts where they are given', async () => {
  api.answers('POST /v1/cascades', { status: 201, body: cascadeWith(null) })
  const { code, out } = await run(`create --name Sound --member ${cheap}:5 --member ${good} --agreement 0.9`)
  expect([code, out]).toEqual([0, `created ${id}\n`])
  const members = [{ criterion_id: cheap, verdicts: 5 }, { criterion_id: good }]
  expect(api.seen.at(-1)?.body).toEqual({ name: 'Sound', agreement: 0.9, members })
})

it.each([`${cheap}:2`, `${cheap}:3:3`, 'crit_x'])('refuses the member %s', async (member) => {
  expect((await run(`create --name Sound --member ${member}`)).code).toBe(2)
  expect(api.seen).toEqual([])
})

it('lists cascades with what was proven, and deletes one', async () => {
  const data = [cascadeWith(calibrationWith()), cascadeWith(null)]
  api.answers('GET /v1/cascades', { body: { object: 'list', data, total: 2, limit: 20, offset: 0, has_more: false } })
  const { out } = await run('list')
  expect(out).toMatch(/Sound +2 +90\.0 % +85\.0 % +75\.0 % +can scan\n/)
  expect(out).toMatch(/Sound +2 +90\.0 % +- +- +not calibrated\n/)
  api.answers(`DELETE /v1/cascades/${id}`, { body: { id, deleted: true } })
  expect(await run(`delete ${id}`)).toMatchObject({ code: 0, out: `deleted ${id}\n` })
})

it('shows the progress of a calibration and what it proved', async () => {
  const running = calibrationWith({ status: 'RUNNING', progress: { done: 10, total: 80 } })
  api.answers(`POST /v1/cascades/${id}/calibrate`, { status: 202, body: running })
  api.answers(`GET /v1/cascades/${id}`, { body: cascadeWith(calibrationWith()) })
  const { code, out, err } = await run(`calibrate ${id} --max-cost 2`)
  expect([code, api.seen[0]?.body]).toEqual([0, { max_cost_usd: 2 }])
  expect(err).toContain('RUNNING 10/80')
  expect(out).toMatch(/agrees with people +95\.0 % \(91\.0 % to 98\.0 %\)\n/)
})

it('shows what a scan decided, and fails with one that failed', async () => {
  api.answers(`POST /v1/cascades/${id}/scan`, { status: 202, body: scanWith() })
  const { code, out } = await run(`scan ${id} --samples 200`)
  expect([code, api.seen[0]?.body]).toEqual([0, { sample_count: 200 }])
  expect(out).toMatch(/for people +30\n.*\ncorrected +10\.0 % \(6\.0 % to 15\.0 %\)\n/)
  api.answers(`POST /v1/cascades/${id}/scan`, {
    status: 202,
    body: scanWith({ status: 'FAILED', error: 'No credit.' }),
  })
  expect(await run(`scan ${id}`)).toMatchObject({ code: 1, out: 'FAILED: No credit.\n' })
})
