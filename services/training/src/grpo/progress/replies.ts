import type { GrpoLook, GrpoRolloutView, GrpoStep } from '@ratchet/contracts/grpo-progress'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import { falsePassBound } from '../../audits/false-pass-bound.ts'
import type { ShownLook, ShownRollout, ShownStep } from './progress-store.ts'

export function stepReply({ figures, stats, ...step }: ShownStep): GrpoStep {
  return {
    step: step.step,
    at: step.at.toISOString(),
    state: step.state,
    replayed: step.replayed,
    reward_mean: figures.reward_mean,
    reward_ci: [...figures.reward_ci],
    reward_std: figures.reward_std,
    zero_variance_groups: figures.zero_variance_groups,
    resampled_groups: figures.resampled_groups,
    kl: stats?.kl ?? null,
    entropy: stats?.entropy ?? figures.entropy,
    clip_ratio: stats?.clip_ratio ?? null,
    completion_length_mean: figures.completion_length_mean,
    truncated_ratio: figures.truncated_ratio,
    tool_calls_per_rollout: figures.tool_calls_per_rollout ?? null,
    tool_failure_ratio: figures.tool_failure_ratio ?? null,
    logprob_gap_mean: stats?.logprob_gap_mean ?? null,
    logprob_gap_max: stats?.logprob_gap_max ?? null,
    adapter_version: figures.adapter_version,
    sampled_tokens: step.sampledTokens,
    trained_tokens: step.trainedTokens,
    judge_cost_usd: nanoToUsd(step.judgeCostNano),
    terms: { ...figures.terms },
    duplicate_ratio: figures.duplicate_ratio ?? null,
    top_term: figures.top_term ?? null,
    alarms: [...(figures.alarms ?? [])],
  }
}

export function lookReply({ step, at, figures, graded, falsePass }: ShownLook): GrpoLook {
  const rateOf = ({ rate, ci }: ShownLook['figures']['train']) => ({ rate, ci: [...ci] as [number, number] })
  return {
    step,
    at: at.toISOString(),
    reward_mean: figures.reward_mean,
    train_judge: rateOf(figures.train),
    holdout_judge: figures.holdout === null ? null : rateOf(figures.holdout),
    gap: figures.gap === null ? null : { ...figures.gap },
    holdout_gain: figures.holdout_gain === null ? null : { ...figures.holdout_gain },
    human: graded === 0 ? null : { graded, false_pass: falsePass, upper: falsePassBound(falsePass, graded) ?? 1 },
    verdict: figures.verdict,
  }
}

export function rolloutReply(rollout: ShownRollout): GrpoRolloutView {
  return {
    object: 'grpo.rollout',
    id: publicId('rollout', rollout.id),
    kind: rollout.kind,
    step: rollout.step,
    group: rollout.group,
    prompt_index: rollout.promptIndex,
    messages: [...rollout.prompt.messages],
    completion: [...rollout.completion],
    reward: rollout.reward,
    terms: { ...rollout.terms },
    verdicts: rollout.verdicts.map(({ criterionId, judgeModel, ...verdict }) => ({
      ...verdict,
      criterion_id: publicId('criterion', criterionId),
      judge_model: judgeModel,
    })),
    advantage: rollout.advantage,
    tokens: rollout.tokens,
    truncated: rollout.truncated,
    adapter_version: rollout.adapterVersion,
    replayed: rollout.replayed,
  }
}
