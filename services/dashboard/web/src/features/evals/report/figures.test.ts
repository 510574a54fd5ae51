import { CandidateReport } from '@ratchet/contracts/eval-report'
import { extraFigures, figures } from './figures.ts'

const found = CandidateReport.parse({
  avg_latency_ms: 120.4,
  p95_latency_ms: null,
  p95_latency_ci: null,
  cost_usd: 0.0021,
  errors: 1,
  error_rate: 0.01,
  assertions: { no_tool_call: { passed: 9, total: 10, pass_rate: 0.9 } },
  winRate: 0.62,
  savingsPct: 80,
  avgLatencyMs: 120.4,
  win_rate: 0.62,
  win_rate_ci: [0.51, 0.72],
  wins: 60,
  losses: 36,
  ties: 4,
  inconsistent: 2,
  samples_judged: 100,
  unparseable: 0,
  unjudged: 0,
  consistency_rate: 0.98,
  judge_unreliable: false,
  position_bias: null,
  position_bias_p: null,
  sign_test_p: 0.02,
  sign_test_p_holm: null,
  inconclusive: true,
  samples_needed: 40,
  savings_pct: 80,
  savings_ci: [75.5, 84],
  latency_diff_ms: -12.6,
  latency_diff_ci: [-20, -5],
  latency_ratio: 0.9,
  runs_total: 5,
  runs_clean: 4,
})

const textOf = (name: string) => [...figures, ...extraFigures([found])].find((each) => each.name === name)?.of(found)

it.each([
  ['Win rate', '62 % [51 %, 72 %]'],
  ['p', '0.020'],
  ['Sign test, Holm', 'does not apply'],
  ['Still needed', 'about 40 more without ties'],
  ['Favours the first answer', 'not known'],
  ['Saves', '80.0 % [75.5 %, 84.0 %]'],
  ['Cost of its answers', '$0.0021'],
  ['Slower by', '−13 ms [−20 ms, −5 ms]'],
  ['Assertion no_tool_call', '9 of 10, 90 %'],
  ['Runs without a lost step', '4 of 5'],
])('writes %s as %s', (name, text) => {
  expect(textOf(name)).toBe(text)
})
