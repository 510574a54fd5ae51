import type { EvalEstimate } from '@ratchet/contracts/eval-plan'
import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import type { Eval } from '@ratchet/contracts/evals'

export const evalId = 'eval_019aa5f08a0770008000000000000001'

/** A running eval. */
export function evalWith(changes: Partial<Eval> = {}): Eval {
  return {
    object: 'eval',
    id: evalId,
    name: 'sim/small vs sim/large',
    status: 'RUNNING',
    progress: { done: 10, total: 100 },
    error: null,
    waiting_for: null,
    webhook_url: null,
    webhook: null,
    rubric: null,
    rubric_type: 'adherence',
    baseline_model: 'sim/large',
    candidate_models: ['sim/small'],
    sample_count: 100,
    sample_filters: {},
    judging_mode: 'direct_quality',
    reference: null,
    judge_model: 'sim/judge',
    judge_models: ['sim/judge'],
    criterion_id: null,
    judge_trust: null,
    judge_can_act: null,
    judge_unit: 'request',
    judge_cannot_act_reason: null,
    assertions: [],
    params: {},
    seed: 0,
    max_cost_usd: null,
    repetitions: 1,
    question: 'better',
    margin: null,
    stop_when: null,
    interim: null,
    evidence: null,
    report: null,
    cost_usd: 0.01,
    judge_cost_usd: 0.002,
    created_at: '2026-11-21T12:00:00.000Z',
    finished_at: null,
    ...changes,
  }
}

/** The same eval after its end. */
export function doneEval(changes: Partial<Eval> = {}): Eval {
  return evalWith({
    status: 'DONE',
    progress: { done: 100, total: 100 },
    report: reportWith(),
    finished_at: '2026-11-21T12:03:00.000Z',
    ...changes,
  })
}

export function reportWith(changes: Partial<EvalReport> = {}): EvalReport {
  return {
    samples_total: 100,
    samples_judged: 98,
    samples_failed: 2,
    baseline: {
      model: 'sim/large',
      avg_latency_ms: 1_500,
      p95_latency_ms: 12_345,
      p95_latency_ci: null,
      cost_usd: 0.008,
      errors: 1,
      error_rate: 0.01,
      assertions: {},
    },
    candidates: { 'sim/small': candidateWith() },
    multiplicity: null,
    smallest_provable: 0.1,
    warnings: [],
    ...changes,
  }
}

export function candidateWith(changes: Partial<CandidateReport> = {}): CandidateReport {
  return {
    avg_latency_ms: 812.4,
    p95_latency_ms: 1_930,
    p95_latency_ci: null,
    cost_usd: 0.002,
    errors: 0,
    error_rate: 0,
    assertions: {},
    winRate: 0.7,
    savingsPct: 62,
    avgLatencyMs: 812.4,
    win_rate: 0.7,
    win_rate_ci: [0.6, 0.8],
    wins: 60,
    losses: 20,
    ties: 18,
    fixed_size_figures: [],
    won_by_error: 0,
    lost_by_error: 0,
    inconsistent: 9,
    samples_judged: 98,
    unparseable: 0,
    unjudged: 0,
    consistency_rate: 0.91,
    judge_unreliable: false,
    position_bias: 0,
    position_bias_p: 1,
    judge_biased: false,
    length_diff: null,
    length_controlled_win_rate: null,
    length_controlled_ci: null,
    sign_test_p: 0.0004,
    sign_test_p_holm: null,
    p_value: 0.0004,
    inconclusive: false,
    samples_needed: null,
    savings_pct: 62,
    savings_ci: [58.1, 65.9],
    latency_diff_ms: -687.6,
    latency_diff_ci: [-700, -600],
    latency_ratio: 0.54,
    runs_total: 0,
    runs_clean: 0,
    ...changes,
  }
}

export function estimateWith(changes: Partial<EvalEstimate> = {}): EvalEstimate {
  return {
    object: 'eval.estimate',
    estimated_cost_usd: 1.25,
    judge_cost_usd: 0.5,
    longest_call_usd: 0.05,
    eligible_prompts: 900,
    distinct_prompts: 700,
    sample_count: 100,
    plan: {
      question: 'not_worse',
      margin: 0.03,
      expected_win_rate: 0.5,
      expected_tie_rate: 0.8,
      samples_needed: 1745,
      samples_needed_sequential: null,
      answered_by_this_eval: false,
      model_calls: 200,
      judge_calls: 200,
      cost_usd: 1.75,
      cost_usd_needed: 30.5375,
      minutes: 1.25,
      minutes_needed: null,
    },
    ...changes,
  }
}
