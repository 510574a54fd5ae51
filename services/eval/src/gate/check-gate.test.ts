import { GateQuery, gateChecks } from '@ratchet/contracts/eval-gate'
import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import { EvalStatus } from '@ratchet/contracts/evals'
import { buildReport } from '../report/build-report.ts'
import { reportInput } from '../report/measured-samples.fixture.ts'
import { checkGate, type GateRequest } from './check-gate.ts'

const models = ['a/one', 'b/two']

/** A report that has only these figures, for every candidate. */
function reportWith(figures: Partial<CandidateReport>): EvalReport {
  const report = buildReport(reportInput([], { candidateModels: models }))
  const candidates = Object.entries(report.candidates).map(([model, candidate]) => [
    model,
    { ...candidate, ...figures },
  ])
  return { ...report, candidates: Object.fromEntries(candidates) }
}

function check(query: GateQuery, overrides: Partial<GateRequest> = {}) {
  return checkGate({
    status: 'DONE',
    report: reportWith({ inconclusive: false }),
    candidateModels: ['a/one'],
    judgeTrust: 'trustworthy',
    cannotActReason: null,
    isPicked: false,
    evidenceLows: {},
    query,
    ...overrides,
  })
}

const withoutDefaults = {
  require_conclusive: false,
  require_reliable_judge: false,
  require_measured_judge: false,
} as const

type Row = readonly [
  name: keyof typeof gateChecks,
  operator: string,
  threshold: number,
  ci: keyof CandidateReport | null,
  figures: Record<'passing' | 'boundary' | 'failing' | 'unmeasured', Partial<CandidateReport>>,
]

const ci = { win_rate_ci: [0.5, 0.75], savings_ci: [10, 40], p95_latency_ci: [100, 900] } as const satisfies Partial<
  Record<keyof CandidateReport, readonly [number, number]>
>

/** Rows for a check that reads a single number. */
function one(key: keyof CandidateReport, [passing, boundary, failing]: readonly [number, number, number]): Row[4] {
  return {
    passing: { [key]: passing },
    boundary: { [key]: boundary },
    failing: { [key]: failing },
    unmeasured: { [key]: null },
  }
}

function passRates(...rates: readonly (number | null)[]): Partial<CandidateReport> {
  const results = rates.map((rate, place) => [`tool_called:${place}`, { passed: 1, total: 2, pass_rate: rate }])
  return { assertions: Object.fromEntries(results) }
}

const rows: readonly Row[] = [
  ['min_win_rate', '>=', 0.6, 'win_rate_ci', one('win_rate', [0.61, 0.6, 0.59])],
  [
    'min_win_rate_lower',
    '>=',
    0.5,
    'win_rate_ci',
    {
      passing: { win_rate_ci: [0.51, 0.7] },
      boundary: { win_rate_ci: [0.5, 0.7] },
      failing: { win_rate_ci: [0.49, 0.7] },
      unmeasured: { win_rate_ci: null },
    },
  ],
  [
    'max_loss_rate',
    '<=',
    0.3,
    null,
    {
      passing: { wins: 8, losses: 2 },
      boundary: { wins: 7, losses: 3 },
      failing: { wins: 6, losses: 4 },
      unmeasured: { wins: 0, losses: 0 },
    },
  ],
  ['min_savings_pct', '>=', 32, 'savings_ci', one('savings_pct', [33, 32, 31.999])],
  ['max_avg_latency_ms', '<=', 500, null, one('avg_latency_ms', [499, 500, 500.001])],
  ['max_p95_latency_ms', '<=', 900, 'p95_latency_ci', one('p95_latency_ms', [899, 900, 901])],
  ['max_latency_ratio', '<=', 1.2, null, one('latency_ratio', [1, 1.2, 1.21])],
  ['max_error_rate', '<=', 0.01, null, one('error_rate', [0, 0.01, 0.011])],
  ['min_samples', '>=', 50, null, { ...one('samples_judged', [51, 50, 49]), unmeasured: { samples_judged: 0 } }],
  [
    'min_runs_clean_pct',
    '>=',
    70,
    null,
    {
      passing: { runs_clean: 8, runs_total: 10 },
      boundary: { runs_clean: 7, runs_total: 10 },
      failing: { runs_clean: 6, runs_total: 10 },
      unmeasured: { runs_clean: 0, runs_total: 0 },
    },
  ],
  [
    'min_assertion_pass_rate',
    '>=',
    0.9,
    null,
    {
      passing: passRates(1, 0.95),
      boundary: passRates(1, 0.9),
      failing: passRates(1, 0.89),
      unmeasured: {},
    },
  ],
]

describe.each(rows)('%s %s %d', (name, operator, threshold, interval, figures) => {
  it.each([
    ['passing', true],
    ['boundary', true],
    ['failing', false],
    ['unmeasured', false],
  ] as const)('%s: %p', (figure, passed) => {
    const report = reportWith({
      inconclusive: false,
      ...(ci as unknown as Partial<CandidateReport>),
      ...figures[figure],
    })
    const result = check({ [name]: threshold, ...withoutDefaults }, { report })
    const { observed, ...row } = result.checks[0]!
    const shown = interval === null ? null : report.candidates['a/one']![interval]
    expect(result.kind).toBe(passed ? 'passed' : 'refused')
    expect(result.checks).toHaveLength(1)
    expect(row).toEqual({ name, operator, threshold, ci: shown, passed })
    if (figure === 'unmeasured' && name !== 'min_samples') expect(observed).toBeNull()
    if (figure === 'boundary') expect(observed).toBe(threshold)
  })
})

describe('require_conclusive', () => {
  const conclusive = reportWith({ inconclusive: false, win_rate_ci: [0.55, 0.7] })
  const row = { name: 'require_conclusive', operator: '==', threshold: true, ci: [0.55, 0.7] }

  it('is checked by default, and shown', () => {
    const passed = check({ min_samples: 0 }, { report: conclusive })
    const judge = [{ name: 'require_reliable_judge' }, { name: 'require_measured_judge' }]
    expect(passed).toMatchObject({
      kind: 'passed',
      checks: [{ name: 'min_samples' }, { ...row, observed: true }, ...judge],
    })
    const inconclusive = reportWith({ inconclusive: true, win_rate_ci: [0.45, 0.7] })
    const failed = check({ min_samples: 0 }, { report: inconclusive })
    expect(failed).toMatchObject({ kind: 'refused', reason: 'failed' })
    expect(failed.checks[1]).toEqual({ ...row, ci: [0.45, 0.7], observed: false, passed: false })
  })

  it('may be requested alone, or switched off', () => {
    const alone = { ...withoutDefaults, require_conclusive: true }
    expect(check(alone, { report: conclusive }).checks).toEqual([{ ...row, observed: true, passed: true }])
    const without = check({ min_samples: 0, require_conclusive: false }, { report: reportWith({ inconclusive: true }) })
    expect(without).toMatchObject({ kind: 'passed', checks: [{ name: 'min_samples' }] })
  })
})

describe('the judge', () => {
  const failing = (query: GateQuery, overrides: Partial<GateRequest>) =>
    check(query, overrides).checks.flatMap(({ name, passed }) => (passed ? [] : [name]))

  it.each([
    ['unreliable', { judge_unreliable: true }, 'trustworthy', ['require_reliable_judge']],
    ['biased', { judge_biased: true }, 'trustworthy', ['require_reliable_judge']],
    ['not a criterion', {}, null, ['require_measured_judge']],
    ['unmeasured', {}, 'unmeasured', ['require_measured_judge']],
    ['misaligned', {}, 'misaligned', ['require_measured_judge']],
    ['borderline', {}, 'borderline', ['require_measured_judge']],
    ['measured', {}, 'under-measured', []],
    ['trustworthy', {}, 'trustworthy', []],
  ] as const)('that is %s decides any check of its verdicts', (_state, figures, judgeTrust, names) => {
    const difference: CandidateReport['difference'] = {
      value: 0.1,
      ci: [-0.05, 0.25],
      method: 'score_interval',
      samples: 100,
      question: 'better',
      margin: null,
      verdict: 'inconclusive',
    }
    const report = reportWith({ inconclusive: false, win_rate: 0.9, win_rate_ci: [0.8, 0.95], difference, ...figures })
    for (const query of [
      { min_win_rate: 0.5 },
      { min_win_rate_lower: 0.45, require_conclusive: false },
      { max_worse_by: 0.3, require_conclusive: false },
    ]) {
      expect(failing(query, { report, judgeTrust })).toEqual(names)
      const switchedOff = { ...query, require_reliable_judge: false, require_measured_judge: false }
      expect(failing(switchedOff, { report, judgeTrust })).toEqual([])
    }
  })

  it('is not measured by grades of items that people picked', () => {
    const report = reportWith({ win_rate: 0.9, inconclusive: false })
    expect(failing({ min_win_rate: 0 }, { report, isPicked: true })).toEqual(['require_measured_judge'])
  })

  it('is not needed by checks that read no verdict', () => {
    const query = { max_error_rate: 0.1, min_samples: 0, require_conclusive: false }
    const report = reportWith({ judge_unreliable: true, error_rate: 0 })
    expect(failing(query, { report, judgeTrust: null })).toEqual([])
    expect(failing({ ...query, require_measured_judge: true }, { report, judgeTrust: null })).toEqual([
      'require_measured_judge',
    ])
  })
})

describe('require_trust', () => {
  it.each([
    ['trustworthy', true],
    ['untrusted', false],
    [null, false],
  ])('of a judge that is %s: %p', (judgeTrust, passed) => {
    const query = { require_trust: 'trustworthy', require_conclusive: false } as const
    const trust = judgeTrust as GateRequest['judgeTrust']
    expect(check(query, { judgeTrust: trust }).checks).toEqual([
      { name: 'require_trust', operator: '==', threshold: 'trustworthy', observed: judgeTrust, ci: null, passed },
    ])
  })
})

it('require_trust also needs the right to act', () => {
  const query = { require_trust: 'trustworthy', require_conclusive: false } as const
  expect(check(query, { cannotActReason: 'e-value' }).checks).toMatchObject([{ observed: 'cannot_act', passed: false }])
  const misaligned = check(query, { judgeTrust: 'misaligned', cannotActReason: 'it is misaligned' })
  expect(misaligned.checks).toMatchObject([{ observed: 'misaligned', passed: false }])
})

describe('min_evidence_lower', () => {
  it.each([
    [0.5, true],
    [0.49, false],
    [null, false],
  ])('of a bound of %j: %p', (low, passed) => {
    const query = { min_evidence_lower: 0.5, require_conclusive: false }
    const { checks } = check(query, { evidenceLows: { 'a/one': low, 'b/two': 0.9 } })
    expect(checks).toMatchObject([{ name: 'min_evidence_lower', operator: '>=', observed: low, passed }])
  })
})

describe('min_assertion_pass_rate', () => {
  it('uses the worst rate, and fails when an assertion was never applied', () => {
    const observed = (...rates: readonly (number | null)[]) =>
      check({ min_assertion_pass_rate: 0 }, { report: reportWith(passRates(...rates)) }).checks.at(-1)
    expect(observed(1, 0.2, 0.9)).toMatchObject({ observed: 0.2, passed: true })
    expect(observed(1, null)).toMatchObject({ observed: null, passed: false })
  })
})

describe('the gate', () => {
  it('shows checks in the order of the contract, whatever the order of the query', () => {
    const names = Object.keys(gateChecks).toReversed()
    const values = names.map((name) => [
      name,
      name === 'require_trust' ? 'trustworthy' : name.startsWith('require_') ? 'true' : '1',
    ])
    const query = GateQuery.parse(Object.fromEntries(values))
    expect(check(query).checks.map(({ name }) => name)).toEqual(Object.keys(gateChecks))
  })

  it('fails when one check fails, and reports the others unchanged', () => {
    const result = check({ min_win_rate: 0.5, min_savings_pct: 10 }, { report: reportWith({ win_rate: 0.6 }) })
    expect(result).toMatchObject({ kind: 'refused', reason: 'failed', candidate: 'a/one' })
    expect(result.checks.map(({ passed }) => passed)).toEqual([true, false, false, true, true])
  })

  it.each(EvalStatus.options.filter((status) => status !== 'DONE'))('refuses an eval that is %s', (status) => {
    const report = reportWith({ inconclusive: false, win_rate: 0.9, win_rate_ci: [0.8, 0.95] })
    const partial = check({ min_win_rate: 0.5 }, { status, report })
    expect(partial).toMatchObject({ kind: 'refused', reason: 'not_done' })
    expect(partial.checks.every(({ passed }) => passed)).toBe(true)
    const none = check({ min_win_rate: 0.5, min_samples: 0 }, { status, report: null })
    expect(none).toMatchObject({ kind: 'refused', reason: 'not_done' })
    for (const row of none.checks.filter(({ name }) => name !== 'require_measured_judge')) {
      expect(row).toMatchObject({ observed: null, ci: null, passed: false })
    }
  })

  it('does not pass without a report', () => {
    expect(check({ min_samples: 0 }, { report: null })).toMatchObject({ kind: 'refused', reason: 'failed' })
  })

  it.each([
    [{}],
    [{ candidate: 'a/one' }],
    [{ require_conclusive: false }],
    [{ candidate: 'a/one', require_conclusive: false }],
  ])('requires at least one check: %j', (query) => {
    expect(() => check(query)).toThrow(expect.objectContaining({ code: 'no_checks' }))
  })

  it('uses the only candidate, or the named one of several', () => {
    expect(check({ min_samples: 0 }).candidate).toBe('a/one')
    expect(check({ min_samples: 0, candidate: 'a/one' }).candidate).toBe('a/one')
    const second = { ...reportWith({}).candidates['b/two']!, inconclusive: false }
    const { candidates, ...rest } = reportWith({ inconclusive: true })
    const report = { ...rest, candidates: { ...candidates, 'b/two': second } }
    const request = { report, candidateModels: models }
    expect(check({ min_samples: 0, candidate: 'b/two' }, request)).toMatchObject({ kind: 'passed', candidate: 'b/two' })
    expect(check({ min_samples: 0, candidate: 'a/one' }, request)).toMatchObject({ kind: 'refused' })
  })

  it.each([
    [{ min_samples: 0 }, models],
    [{ min_samples: 0, candidate: 'c/three' }, models],
    [{ min_samples: 0, candidate: 'c/three' }, ['a/one']],
    [{ min_samples: 0, candidate: '__proto__' }, models],
  ])('refuses %j with the candidates %j', (query, candidateModels) => {
    expect(() => check(query, { candidateModels })).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'candidate' }),
    )
  })
})
