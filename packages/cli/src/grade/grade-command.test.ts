import { apiKey } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { recordingIo } from '../recording-io.fixture.ts'
import { runCli } from '../run-cli.ts'

const id = 'crit_01980000000070008000000000000001'
const next = `GET /v1/criteria/${id}/next_to_grade`

let api: ScriptedApi
beforeEach(async () => {
  api = await startScriptedApi()
  // Each grade of a group is answered with a label.
  api.onRequest(({ line, body }) => {
    if (line !== 'POST /v1/labels') return
    const { labels } = body as { labels: { log_id: string; label: 'pass' | 'fail' }[] }
    const data = labels.map(({ log_id, label }) => labelOf(log_id, label))
    api.answers('POST /v1/labels', {
      status: 201,
      body: { object: 'list', data, created: 1, superseded: 0, rejected: [] },
    })
  })
})
afterEach(() => api.stop())

const candidate = (logId: string) => ({
  log_id: logId,
  created_at: '2026-11-21T12:00:00.000Z',
  segment: 'seg_1',
  tag: null,
  sampling_probability: 0.5,
  stratum: 'all',
  sampling: { method: 'random', probability: 0.5 },
  messages: [{ role: 'user', content: `Question of ${logId}?\u001b[2J` }],
  response: { role: 'assistant', content: 'An answer.' },
  tools: null,
})

const labelOf = (logId: string, label: 'pass' | 'fail') => ({
  object: 'label',
  id: `lbl_${logId}`,
  criterion_id: id,
  unit: 'request',
  log_id: logId,
  trace_id: null,
  label,
  rationale: null,
  grader_id: 'ann',
  grader_type: 'human',
  source: 'api',
  blind: true,
  snapshot: { messages: [], response: { role: 'assistant' }, tools: null, model: null, segment: 's', sha256: 'x' },
  sampling: null,
  superseded_by: null,
  created_at: '2026-11-21T12:00:00.000Z',
})

const listing = (...ids: string[]) => ({
  body: { object: 'list', data: ids.map(candidate), strategy: 'random', plan: null },
})

async function grade(keys: string, ...options: string[]) {
  const env = { RATCHET_BASE_URL: api.baseUrl, RATCHET_API_KEY: apiKey, RATCHET_DATA_DIR: '/nonexistent/ratchet' }
  const io = recordingIo(env, keys)
  const code = await runCli(['grade', id, ...options], io)
  const sent = api.seen.flatMap(({ line, body }) =>
    line === 'POST /v1/labels' ? (body as { labels: Record<string, unknown>[] }).labels : [],
  )
  return { code, out: io.out(), err: io.err(), sent }
}

it('sends a blind grade for each key, with a reason where one is written', async () => {
  api.answers(next, listing('log_1', 'log_2', 'log_3', 'log_4'), listing())
  const { code, out, err, sent } = await grade('p\nfsx rtoo short\n')
  expect([code, out]).toEqual([0, 'graded 3: 1 pass, 2 fail\n'])
  const about = { criterion_id: id, blind: true }
  expect(sent).toEqual([
    { ...about, log_id: 'log_1', label: 'pass' },
    { ...about, log_id: 'log_2', label: 'fail' },
    { ...about, log_id: 'log_4', label: 'fail', rationale: 'too short' },
  ])
  expect(err).toContain('Question of log_1?')
  expect(err).not.toContain('\u001b')
})

it('keeps what was graded when the person ends', async () => {
  api.answers(next, listing('log_1', 'log_2'))
  const { code, out, sent } = await grade('pq')
  expect([code, out, sent.length]).toEqual([0, 'graded 1: 1 pass, 0 fail\n', 1])
})

it('stops at the maximum, and when everything listed was seen', async () => {
  api.answers(next, listing('log_1', 'log_2', 'log_3'))
  expect((await grade('ppp', '--limit', '2')).out).toBe('graded 2: 2 pass, 0 fail\n')
  expect((await grade('sss')).out).toBe('graded 0: 0 pass, 0 fail\n')
})

it('refuses a judge of runs', async () => {
  const run = { ...candidate('x'), log_id: null, trace_id: 't' }
  api.answers(next, { body: { object: 'list', data: [run], strategy: 'random', plan: null } })
  expect(await grade('p')).toMatchObject({ code: 1, err: expect.stringContaining('dashboard') })
})
