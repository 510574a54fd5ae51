import { apiKey } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { recordingIo } from '../recording-io.fixture.ts'
import { runCli } from '../run-cli.ts'

const id = 'eval_01980000000070008000000000000001'
const next = `GET /v1/evals/${id}/next_to_compare`

let api: ScriptedApi
beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

const comparison = (sample: string) => ({
  object: 'eval.comparison',
  eval_id: id,
  sample_id: sample,
  prompt: { messages: [{ role: 'user', content: `Question of ${sample}?` }], tools: null },
  first: { text: 'Short.\u001b[2J', tool_calls: null },
  second: { text: 'Longer.', tool_calls: null },
})
const listing = (compared: number, ...samples: string[]) => ({
  body: { object: 'list', data: samples.map(comparison), compared, total: 40 },
})
const preferenceOf = (sample: string, preference: string) => ({
  status: 201,
  body: {
    object: 'eval.preference',
    id: 'pref_1',
    eval_id: id,
    sample_id: sample,
    candidate: 'sim/small',
    preference,
    grader_id: 'ann',
    blind: true,
    created_at: '2026-11-21T12:00:00.000Z',
  },
})
const postTo = (sample: string) => `POST /v1/evals/${id}/samples/${sample}/preferences`

async function run(line: string, keys: string | null = null) {
  const env = { RATCHET_BASE_URL: api.baseUrl, RATCHET_API_KEY: apiKey, RATCHET_DATA_DIR: '/nonexistent/ratchet' }
  const io = recordingIo(env, keys)
  const code = await runCli(['eval', ...line.split(' ')], io)
  const sent = api.seen.flatMap(({ line: each, body }) => (each.startsWith('POST') ? [[each, body]] : []))
  return { code, out: io.out(), err: io.err(), sent }
}

describe('eval compare', () => {
  it('sends a blind preference for each key, and says what counts', async () => {
    api.answers(next, listing(0, 's1', 's2'), listing(2, 's3'), listing(2))
    api.answers(postTo('s1'), preferenceOf('s1', 'candidate'))
    api.answers(postTo('s2'), preferenceOf('s2', 'tie'))
    const { code, out, err, sent } = await run(`compare ${id} --candidate sim/small`, '1x0q')
    const about = { candidate: 'sim/small', blind: true }
    expect(sent).toEqual([
      [postTo('s1'), { ...about, preference: 'first' }],
      [postTo('s2'), { ...about, preference: 'tie' }],
    ])
    expect([code, out]).toEqual([0, 'compared 2; 2 of 40 samples count as evidence so far\n'])
    expect(err).toContain('Question of s1?')
    expect(err).not.toContain('\u001b')
  })

  it('stops at the maximum', async () => {
    api.answers(next, listing(0, 's1', 's2'), listing(1))
    api.answers(postTo('s1'), preferenceOf('s1', 'baseline'))
    const { sent } = await run(`compare ${id} --limit 1`, '22')
    expect(sent).toEqual([[postTo('s1'), { preference: 'second', blind: true }]])
  })
})

it('eval agreement shows what people say of the judge, and what is missing', async () => {
  const none = { accuracy: null, accuracy_ci: null, corrected_win_rate: null, corrected_win_rate_ci: null }
  const known = { win_rate: 0.7, win_rate_ci: [0.6, 0.8] }
  const candidates = {
    'sim/small': {
      ...known,
      graded: 50,
      accuracy: 0.9,
      accuracy_ci: [0.8, 0.95],
      corrected_win_rate: 0.62,
      corrected_win_rate_ci: [0.5, 0.7],
      grades_needed: { win: 0, tie: 0, loss: 0 },
    },
    'sim/tiny': { ...known, ...none, graded: 3, grades_needed: { win: 2, tie: 0, loss: 5 } },
  }
  api.answers(`GET /v1/evals/${id}/calibration`, { body: { object: 'eval.calibration', eval_id: id, candidates } })
  const { code, out } = await run(`agreement ${id}`)
  expect(code).toBe(0)
  expect(out).toMatch(/sim\/small +50 +90\.0 % \(80\.0 % to 95\.0 %\) +70\.0 % .*62\.0 % \(50\.0 % to 70\.0 %\) +-\n/)
  expect(out).toMatch(/sim\/tiny +3 +- .* 2 wins, 5 losses\n/)
})
