import type { Script } from './scripted-server.ts'

const at = '2026-11-20T10:00:00.000Z'
const list = (data: readonly unknown[]) => ({
  object: 'list',
  data,
  total: data.length,
  limit: 100,
  offset: 0,
  has_more: false,
})

const figures = {
  avg_latency_ms: 640,
  p95_latency_ms: 1_210,
  p95_latency_ci: [900, 1_500],
  cost_usd: 0.021,
  errors: 1,
  error_rate: 0.01,
  assertions: { 'tool_called:search': { passed: 97, total: 100, pass_rate: 0.97 } },
}

const difference = (value: number, verdict: string) => ({
  value,
  ci: [value - 0.12, value + 0.12],
  method: 'score_interval',
  samples: 100,
  question: 'better',
  margin: null,
  verdict,
})

const candidate = (rate: number, verdict: string, savings: number) => ({
  ...figures,
  winRate: rate,
  savingsPct: savings,
  avgLatencyMs: 640,
  win_rate: rate,
  win_rate_ci: [rate - 0.09, rate + 0.09],
  wins: Math.round(rate * 90),
  losses: 90 - Math.round(rate * 90),
  ties: 10,
  fixed_size_figures: [],
  difference: difference(2 * rate - 1, verdict),
  panel: null,
  segments: {
    list: ['greeter', 'refunds'].map((segment, index) => ({
      segment,
      samples: 50,
      wins: 30,
      ties: 5,
      losses: 15,
      difference: 0.3 - index * 0.6,
      ci: [0.1 - index * 0.6, 0.5 - index * 0.6],
      shrunken: 0.25 - index * 0.5,
      shrunken_ci: [0.05 - index * 0.5, 0.45 - index * 0.5],
      is_worse: index === 1,
    })),
    other_samples: 0,
    heterogeneity_p: 0.01,
    spread: 0.2,
  },
  won_by_error: 0,
  lost_by_error: 1,
  inconsistent: 4,
  samples_judged: 100,
  unparseable: 0,
  unjudged: 0,
  consistency_rate: 0.96,
  judge_unreliable: false,
  position_bias: 0.02,
  position_bias_p: 0.61,
  judge_biased: false,
  length_diff: 42,
  length_controlled_win_rate: rate - 0.02,
  length_controlled_ci: [rate - 0.12, rate + 0.08],
  sign_test_p: 0.003,
  sign_test_p_holm: 0.006,
  p_value: 0.006,
  inconclusive: verdict === 'inconclusive',
  samples_needed: verdict === 'inconclusive' ? 210 : 0,
  savings_pct: savings,
  savings_ci: [savings - 4, savings + 4],
  latency_diff_ms: -120,
  latency_diff_ci: [-180, -60],
  latency_ratio: 0.84,
  runs_total: 0,
  runs_clean: 0,
})

const evidence = (model: string, low: number, isExhausted: boolean) => ({
  problems: model === 'sim/small' ? ['judge_biased'] : [],
  judge_cannot_act_reason: null,
  people:
    model === 'sim/small'
      ? null
      : {
          problems: [],
          compared: 64,
          compared_by: ['u_1'],
          attempt: 2,
          level: 0.0125,
          win_rate: 0.68,
          win_rate_low: 0.55,
        },
  attempt: 2,
  level: 0.025 / 12,
  prompt_uses: 2.5,
  win_rate_low: low,
  win_rate_low_if_fresh: low + 0.06,
  prompts_needed: 180,
  samples_judged: 100,
  used_up: 0.41,
  is_exhausted: isExhausted,
  prompt_uses_max: isExhausted ? 1 : 6,
  wear: [0, 1, 2.5, 4, 10, 20, 40].map((uses) => ({
    prompt_uses: uses,
    win_rate_low: uses === 40 ? null : low + 0.06 - 0.024 * uses,
  })),
})

const done = {
  object: 'eval',
  id: 'eval_1',
  name: 'Which model for support',
  status: 'DONE',
  progress: { done: 100, total: 100 },
  error: null,
  waiting_for: null,
  rubric: 'The answer is right and complete.',
  rubric_type: 'adherence',
  baseline_model: 'sim/medium',
  candidate_models: ['sim/large', 'sim/small'],
  sample_count: 100,
  sample_filters: { tag: 'support' },
  judging_mode: 'direct_quality',
  reference: null,
  judge_model: 'sim/judge',
  judge_models: ['sim/judge'],
  criterion_id: 'crit_1',
  judge_trust: 'trustworthy',
  judge_can_act: false,
  judge_cannot_act_reason: 'The evidence is not enough at any number of calibrations.',
  judge_unit: 'request',
  assertions: [],
  params: {},
  seed: 7,
  max_cost_usd: 0.5,
  repetitions: 1,
  question: 'better',
  margin: null,
  stop_when: null,
  evidence: {
    'sim/large': evidence('sim/large', 0.47, true),
    'sim/small': evidence('sim/small', 0.4, false),
  },
  webhook_url: null,
  webhook: null,
  report: {
    samples_total: 100,
    samples_judged: 100,
    samples_failed: 0,
    baseline: { ...figures, model: 'sim/medium' },
    candidates: {
      'sim/large': candidate(0.66, 'better', -310),
      'sim/small': candidate(0.47, 'inconclusive', 62),
    },
    multiplicity: 'holm',
    smallest_provable: 0.098,
    warnings: ['sim/small was not proven to be better or worse.'],
  },
  interim: null,
  cost_usd: 0.06,
  judge_cost_usd: 0.12,
  created_at: at,
  finished_at: at,
}

const answer = (model: string, text: string) => ({
  model,
  text,
  tool_calls: null,
  error: null,
  cost_usd: 0.0004,
  latency_ms: 512,
})

const order = (first: string, second: string) => ({
  judge: 'sim/judge',
  candidate: 'sim/large',
  first,
  second,
  winner: 'sim/large',
  explanation: 'It names the deadline, which the other answer leaves out.',
})

const sample = {
  object: 'eval.sample',
  id: 'sample_1',
  prompt: {
    messages: [
      { role: 'system', content: 'Answer for the shop in two sentences.' },
      { role: 'user', content: 'How do I return a broken kettle after 40 days?' },
    ],
    tools: null,
  },
  repetition: 0,
  baseline: answer('sim/medium', 'Our policy allows **30 days**, so you can not return it.'),
  candidates: {
    'sim/large': answer(
      'sim/large',
      'Our policy allows **30 days**, but a *broken* kettle has a warranty of two years.',
    ),
    'sim/small': answer('sim/small', 'Please call us.'),
  },
  orders: [order('sim/medium', 'sim/large'), order('sim/large', 'sim/medium')],
  outcome: 'win',
  outcomes: { 'sim/large': 'win', 'sim/small': 'loss' },
  disputed: false,
  assertions: {},
  reference: null,
  error: null,
  log_id: 'log_1',
  trace_id: null,
  step_index: null,
}

const dataset = {
  object: 'dataset',
  id: 'ds_1',
  name: 'support-november',
  description: null,
  kind: 'train',
  sibling_id: 'ds_2',
  source: 'logs',
  format: 'chat',
  example_count: 1_873,
  token_count_estimate: 402_113,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  segment: 'greeter',
  segments: ['greeter'],
  filters: { tag: 'support' },
  criterion_id: 'crit_1',
  holdout_pct: 10,
  size_bytes: 1_608_452,
  created_by: '00000000-0000-7000-8000-000000000001',
  created_at: at,
}

const example = (index: number) => ({
  index,
  messages: [
    { role: 'user', content: `Question ${index}: how do I return a kettle?` },
    { role: 'assistant', content: 'Which one?', weight: 0 },
    { role: 'user', content: 'The red one, and it is broken since yesterday evening, when it fell.' },
    { role: 'assistant', content: 'Send it back within 30 days.' },
  ],
  non_preferred_output: null,
  tools: null,
  sha256: `${index}`,
  source_log_id: `log_${index}`,
  folded_turns: 1,
})

const preview = {
  object: 'dataset.curation',
  dataset: null,
  eval_dataset: null,
  summary: {
    matched: 4_210,
    kept: 2_873,
    dropped: {
      errored: 12,
      truncated: 61,
      empty: 3,
      duplicate: 904,
      near_duplicate: 210,
      judge_failed: 100,
      judge_unscored: 40,
      too_long: 2,
      leaked: 5,
      over_max_examples: 0,
    },
    folded_conversations: 120,
    folded_turns: 311,
    train_count: 2_300,
    eval_count: 262,
    leakage: { share: 0, share_ci: null, compared: 262, nearest: 0.71 },
  },
  redaction: { count: 0, kinds: [] },
  dropped_log_ids: { truncated: ['log_1'] },
}

const estimate = {
  object: 'eval.estimate',
  estimated_cost_usd: 0.061,
  judge_cost_usd: 0.12,
  longest_call_usd: 0.164,
  eligible_prompts: 4_210,
  distinct_prompts: 3_100,
  sample_count: 100,
  plan: {
    question: 'better',
    margin: null,
    expected_win_rate: 0.6,
    expected_tie_rate: 0.3,
    samples_needed: 140,
    samples_needed_sequential: 200,
    answered_by_this_eval: false,
    model_calls: 200,
    judge_calls: 200,
    cost_usd: 0.181,
    cost_usd_needed: 0.25,
    minutes: 2.4,
    minutes_needed: 3.4,
  },
}

const check = (name: string, passed: boolean) => ({
  name,
  operator: '>=',
  threshold: 0.5,
  observed: passed ? 0.57 : 0.38,
  ci: [0.38, 0.57],
  passed,
})

const api = '/api/w/demo'

/** An eval with its report, and a dataset. */
export const evalScript: Script = {
  [`GET ${api}/v1/evals`]: list([done]),
  [`GET ${api}/v1/evals/eval_1`]: done,
  [`GET ${api}/v1/evals/eval_1/gate`]: {
    object: 'eval.gate',
    eval_id: 'eval_1',
    candidate: 'sim/large',
    passed: true,
    checks: [check('min_win_rate_lower', true), check('require_conclusive', true)],
  },
  [`GET ${api}/v1/evals/eval_1/samples`]: list([sample]),
  [`POST ${api}/v1/evals/estimate`]: estimate,
  [`GET ${api}/v1/logs`]: { ...list([]), total_is_exact: true },
  [`GET ${api}/v1/datasets`]: list([dataset]),
  [`GET ${api}/v1/datasets/ds_1`]: dataset,
  [`GET ${api}/v1/datasets/ds_1/examples`]: list([0, 1, 2, 3].map(example)),
  [`POST ${api}/session/datasets/preview`]: preview,
}
