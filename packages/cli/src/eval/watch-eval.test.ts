import { ioFor, type Ran, runEvalCommand } from '../api/run-against.fixture.ts'
import { refusal, type Scripted, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { candidateWith, doneEval, evalId, evalWith, reportWith } from './evals.fixture.ts'

const one = `GET /v1/evals/${evalId}`
const gatePath = `${one}/gate`
let api: ScriptedApi

beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

const at = (done: number): Scripted => ({ body: evalWith({ progress: { done, total: 100 } }) })
const done: Scripted = { body: doneEval() }
const busy = (status: number): Scripted => refusal(status, { message: 'Busy.', code: 'service_unavailable' })

async function watch(flags = '', columns: number | null = null): Promise<Ran> {
  return runEvalCommand(ioFor(api, columns), `watch ${evalId} ${flags}`.trim())
}

it.each([
  [0, 'DONE'],
  [1, 'FAILED'],
  [1, 'CANCELLED'],
] as const)('without checks exits with %d for the status %s', async (code, status) => {
  api.answers(one, at(10), { body: doneEval({ status }) })

  expect((await watch()).code).toBe(code)
})

it.each<[number, Scripted]>([
  [0, { body: { object: 'eval.gate', eval_id: evalId, candidate: 'sim/small', passed: true, checks: [] } }],
  [
    3,
    refusal(412, {
      message: 'No.',
      code: 'precondition_failed',
      details: { eval_status: 'FAILED', candidate: null, checks: [] },
    }),
  ],
  [1, refusal(404, { message: 'Gone.', code: 'not_found' })],
])('with checks exits with the code of the gate: %d', async (code, answer) => {
  api.answers(one, at(10), { body: doneEval() })
  api.answers(gatePath, answer)

  expect((await watch('--min-win-rate 0.5')).code).toBe(code)
})

it('prints the report and then the gate; as JSON the gate is a field of the eval', async () => {
  const gate = { object: 'eval.gate', eval_id: evalId, candidate: 'sim/small', passed: true, checks: [] }
  api.answers(one, done)
  api.answers(gatePath, { body: gate })

  expect((await watch('--min-win-rate 0.5')).out).toMatch(
    /^sim\/small vs sim\/large[\s\S]+\n\npassed: sim\/small in eval_/,
  )
  expect(JSON.parse((await watch('--min-win-rate 0.5 --json')).out)).toEqual({ ...doneEval(), gate })
})

it('checks the candidate of the gate before it waits', async () => {
  api.answers(one, { body: evalWith({ candidate_models: ['a', 'b'] }) })

  expect(await watch('--min-win-rate 0.5')).toMatchObject({
    code: 1,
    err: 'error: --candidate: checks are for one candidate; choose one of a, b\n',
  })
  expect((await watch('--min-win-rate 0.5 --candidate c')).err).toBe(
    'error: --candidate: c is not a candidate of this eval; choose one of a, b\n',
  )
})

it('polls every second at first, and later every few seconds', async () => {
  api.answers(one, ...Array.from({ length: 200 }, (_, index) => at((index / 2) | 0)), done)

  const slept = (await watch()).io.slept()

  expect(slept).toHaveLength(200)
  expect(slept.slice(0, 30)).toEqual(Array(30).fill(1_000))
  expect(slept.at(-1)).toBe(5_000)
  expect(slept).toEqual(slept.toSorted((a, b) => a - b))
})

it('prints at most one line every 10 seconds into a log, and the last state', async () => {
  api.answers(one, ...Array.from({ length: 25 }, (_, index) => at(index + 10)), done)

  const { err } = await watch()

  expect(err.split('\n')).toEqual([
    `${evalId}: RUNNING 10/100 10 %, 0s, $0.0120`,
    `${evalId}: RUNNING 20/100 20 %, 10s, about 1m 20s left, $0.0120`,
    `${evalId}: RUNNING 30/100 30 %, 20s, about 1m 10s left, $0.0120`,
    `${evalId}: DONE 100/100 100 %, 3m 0s, $0.0120`,
    '',
  ])
})

it('overwrites one line on a terminal, never wider than the terminal', async () => {
  api.answers(one, at(10), at(40), done)

  const wide = (await watch('', 80)).err
  api.answers(one, at(10), at(40), done)
  const narrow = (await watch('', 30)).err
  api.answers(one, at(10), at(40), done)
  const middling = (await watch('', 60)).err
  api.answers(one, at(10), at(40), done)
  const unknown = (await watch('', 0)).err

  expect(wide.split('\r\u001b[2K')).toEqual([
    '',
    '██░░░░░░░░░░░░░░░░░░░░░░ RUNNING 10/100 10 %, 0s, $0.0120',
    '█████████░░░░░░░░░░░░░░░ RUNNING 40/100 40 %, 1s, about 2s left, $0.0120',
    '████████████████████████ DONE 100/100 100 %, 3m 0s, $0.0120\n',
  ])
  expect(narrow.split('\r\u001b[2K')).toEqual([
    '',
    'RUNNING 10/100 10 %, 0s, $0.0',
    'RUNNING 40/100 40 %, 1s, abou',
    'DONE 100/100 100 %, 3m 0s, $0\n',
  ])
  expect(middling.split('\r\u001b[2K')[2]).toBe('████░░░░░░░ RUNNING 40/100 40 %, 1s, about 2s left, $0.0120')
  expect(unknown).toBe(wide)
})

it.each([408, 429, 502, 503, 504])('continues after a %d, and prints that', async (status) => {
  api.answers(one, at(10), busy(status), busy(status), done)

  const { code, err, io } = await watch()

  expect(code).toBe(0)
  expect(err).toContain('Busy. (service_unavailable); retrying in 1 s\nBusy. (service_unavailable); retrying in 2 s\n')
  expect(io.slept()).toEqual([1_000, 1_000, 2_000])
})

it('continues after a broken connection, and keeps the line of the terminal', async () => {
  api.answers(one, at(10), 'hang up', done)

  const { code, err } = await watch('', 80)

  expect(code).toBe(0)
  expect(err.split('\r\u001b[2K').slice(2)).toEqual([
    expect.stringMatching(/^http:\S+ cannot be reached \(.+\); retrying in 1 s\n$/),
    expect.stringMatching(/^██░.+10\/100/),
    expect.stringMatching(/100\/100.+\n$/),
  ])
})

it('waits for Retry-After, up to a limit', async () => {
  const asking = (seconds: string): Scripted => ({ status: 429, body: '{}', headers: { 'retry-after': seconds } })
  api.answers(one, at(10), asking('7'), asking('100000'), asking('soon'), done)

  expect((await watch()).io.slept()).toEqual([1_000, 7_000, 60_000, 4_000])
})

it('fails when the deployment stays unavailable, sooner if it never answered', async () => {
  api.answers(one, at(10), busy(503))
  const began = await watch()
  api.answers(one, busy(503))
  const never = await watch()
  const total = (slept: readonly number[]) => slept.reduce((sum, ms) => sum + ms, 0)

  expect([began.code, never.code]).toEqual([1, 1])
  expect(never.err).toMatch(/error: Busy\. \(service_unavailable\)\n$/)
  expect([total(never.io.slept()), total(began.io.slept()) > 9 * 60_000]).toEqual([15_000, true])
})

it('prints the status of a proxy before the API', async () => {
  api.answers(one, at(10), { status: 502, body: '<html>' }, done)

  expect((await watch()).err).toContain(`\n${api.baseUrl} answered 502; retrying in 1 s\n`)
})

it('stops immediately at an error of the API', async () => {
  api.answers(one, at(10), refusal(404, { message: 'Gone.', code: 'not_found' }))

  expect(await watch()).toMatchObject({ code: 1, out: '' })
  expect(api.seen).toHaveLength(2)
})

it('does not cancel the eval on Ctrl-C, and prints how to continue', async () => {
  const io = ioFor(api)
  api.answers(one, at(10))
  api.onRequest(() => {
    if (api.seen.length === 3) io.interrupt()
  })

  const { code, out, err } = await runEvalCommand(io, `watch ${evalId}`)

  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(new RegExp(`Interrupted. The eval continues; .ratchet eval watch ${evalId}. shows it again.\n$`))
  expect(api.seen.every(({ line }) => line === one)).toBe(true)
  expect(io.interrupt()).toBe(false)
})

it('prints the report', async () => {
  api.answers(one, done)

  expect((await watch()).out).toBe(
    [
      `sim/small vs sim/large (${evalId})`,
      'DONE',
      'judged by sim/judge',
      '',
      'MODEL                 WIN RATE (95 %)        AT EQUAL LENGTH  W/T/L     CONSISTENT  SAVINGS (95 %)         LATENCY AVG / P95  ERRORS  COST',
      'sim/large (baseline)  -                      -                -         -           -                      1500 ms / 12.3 s   1       $0.0080',
      'sim/small             70.0 % (60.0 to 80.0)  -                60/18/20  91.0 %      62.0 % (58.1 to 65.9)  812 ms / 1930 ms   0       $0.0020',
      '',
      'WIN RATE',
      'sim/small  0                     │   ├───●───┤         1  conclusive: better than sim/large (p < 0.001)',
      '',
      '98 of 100 samples judged, 2 failed; this many show a win rate that is at least 10.0 points from 50 %',
      'answers $0.0100, judging $0.0020',
      '',
    ].join('\n'),
  )
})

const evidence = {
  problems: [],
  people: null,
  judge_cannot_act_reason: null,
  attempt: 1,
  level: 0.0125,
  prompt_uses: 2.25,
  win_rate_low: 0.541,
  win_rate_low_if_fresh: 0.583,
  prompts_needed: 120,
  samples_judged: 98,
  used_up: 0.504,
  is_exhausted: false,
  prompt_uses_max: 6,
  wear: [],
} as const

it.each([
  [{}, /sim\/small +54\.1 % +58\.3 % +2\.3 +50\.4 % +proof; with the same prompts up to 6 comparisons earlier/],
  [{ win_rate_low: null, is_exhausted: true }, /- +58\.3 %.* used up: needs about 120 prompts that no eval has used/],
  [{ win_rate_low: 0.48, win_rate_low_if_fresh: 0.49 }, 'no proof of a better candidate'],
  [{ problems: ['judge_biased', 'too_few_samples'] }, 'no evidence: judge_biased, too_few_samples'],
] as const)('shows the evidence and how far it is used up: %j', async (changes, says) => {
  const own = {
    'sim/small': { ...evidence, ...changes, problems: [...('problems' in changes ? changes.problems : [])], wear: [] },
  }
  api.answers(one, { body: doneEval({ evidence: own }) })
  expect((await watch()).out).toMatch(says)
})

const people = {
  problems: [],
  compared: 64,
  compared_by: ['user'],
  attempt: 2,
  level: 0.004,
  win_rate: 0.7,
  win_rate_low: 0.52,
}
it.each([
  [people, 'sim/small: people compared 64 samples blind, win rate 70.0 %, lower bound 52.0 %: proof'],
  [{ ...people, win_rate_low: 0.4 }, 'lower bound 40.0 %: no proof of a better candidate'],
  [{ ...people, problems: ['too_few_samples'], win_rate_low: null }, 'lower bound -: too few samples'],
] as const)('shows what people prove: %j', async (found, says) => {
  const own = {
    'sim/small': { ...evidence, problems: [], wear: [], people: { ...found, problems: [...found.problems] } },
  }
  api.answers(one, { body: doneEval({ evidence: own }) })
  expect((await watch()).out).toContain(says)
})

it.each([
  [{ win_rate: 0.3, win_rate_ci: [0.2, 0.4], p_value: 0.02 }, 'conclusive: worse than sim/large (p = 0.020)'],
  [{ sign_test_p: 0.02, sign_test_p_holm: 0.03, p_value: 0.04 }, '(p = 0.040)'],
  // Reports of older versions have no p-value that decided.
  [{ sign_test_p: 0.06, sign_test_p_holm: 0.12, p_value: null }, /conclusive: better than sim\/large\n/],
  [{ inconclusive: true, samples_needed: 240, p_value: null }, 'inconclusive; about 240 samples without ties would'],
  [{ inconclusive: true, p_value: null }, /inconclusive\n/],
  [{ win_rate: null, win_rate_ci: null, consistency_rate: null, inconclusive: true }, 'no answers were judged'],
  [{ judge_unreliable: true }, '(p < 0.001); the judge contradicts itself too often'],
  [{ assertions: { 'tool_called:x': { passed: 3, total: 4, pass_rate: 0.75 } } }, /tool_called:x +- +3\/4 75\.0 %\n/],
  [{ runs_total: 50, runs_clean: 45 }, 'sim/small: 45 of 50 agent runs without a lost step'],
  [{ savings_pct: null, savings_ci: null, p95_latency_ms: null }, /91\.0 % +- +812 ms \/ - +0/],
] as const)('reports %j', async (changes, says) => {
  const candidates = { 'sim/small': candidateWith(changes as object) }
  api.answers(one, { body: doneEval({ report: reportWith({ candidates }) }) })

  const { out } = await watch()

  if (typeof says === 'string') expect(out).toContain(says)
  else expect(out).toMatch(says)
})

it('prints the error first, warnings last, and the trust in its judge', async () => {
  const report = reportWith({ warnings: ['The judge is the candidate.', 'Few prompts.'] })
  api.answers(one, {
    body: doneEval({
      status: 'FAILED',
      error: 'The wallet is empty.',
      report,
      criterion_id: 'crit_1',
      judge_trust: 'borderline',
      judge_can_act: false,
      judge_cannot_act_reason: 'it is borderline',
    }),
  })

  const { out } = await watch()

  expect(out).toContain('FAILED: The wallet is empty.\njudged by sim/judge with crit_1, borderline\n')
  expect(out).toContain('\nno evidence for an alias: its judge may not act: it is borderline\n')
  expect(out).toMatch(/\n\nwarning: The judge is the candidate.\nwarning: Few prompts.\n$/)
})

it('prints the status of an eval that ended without a report', async () => {
  api.answers(one, { body: doneEval({ status: 'CANCELLED', report: null }) })

  expect((await watch()).out).toBe(`sim/small vs sim/large (${evalId})\nCANCELLED\njudged by sim/judge\n`)
})

it('prints only the eval on standard output with --json', async () => {
  api.answers(one, at(10), done)

  expect(JSON.parse((await watch('--json')).out)).toEqual(doneEval())
})
