import type { ModelVersion, ModelVersionDetail } from '@ratchet/contracts/model-versions'
import { percent } from '../../../kit/numbers.ts'
import type { State } from '../../../kit/state-mark.tsx'

const statuses: Record<ModelVersion['status'], State> = {
  candidate: 'open',
  adopted: 'proven',
  superseded: 'none',
  rejected: 'wrong',
  archived: 'none',
}

/** The shape of a status. */
export function stateOfStatus(status: ModelVersion['status']): State {
  return statuses[status]
}

const producers: Record<ModelVersion['produced_by']['type'], string> = {
  fine_tuning: 'a fine-tuning job',
  grpo: 'a GRPO run',
  raft: 'a RAFT round',
  import: 'an import',
}

export function producerText({ produced_by: { type } }: Pick<ModelVersion, 'produced_by'>): string {
  return producers[type]
}

/** The name that a person gave it, before its base. */
export function versionTitle({ name, base_model: base }: Pick<ModelVersion, 'name' | 'base_model'>): string {
  return name === null ? `from ${base}` : `${name}, from ${base}`
}

/** Which aliases send requests to it, such as `support 10 %`. */
export function aliasesText({ aliases }: Pick<ModelVersion, 'aliases'>): string {
  return aliases.length === 0 ? '–' : aliases.map(({ name, percent: share }) => `${name} ${share} %`).join(', ')
}

/** The win rate with its interval, in words. */
export function winRateText({ win_rate: rate, win_rate_ci: interval }: ModelVersionDetail['evidence']): string {
  if (rate === null || interval === null) return 'no result'
  return `${percent(rate)} (${percent(interval[0])} to ${percent(interval[1])})`
}

/** What people found among its best-scored answers, in words. */
export function auditText({ audit }: Pick<ModelVersionDetail['evidence'], 'audit'>): string {
  if (audit === null) return 'nobody has graded'
  return `${audit.graded} graded, ${audit.false_pass} false passes, at most ${percent(audit.upper)}`
}

/** What happens to requests that name a version. */
export function servedText({
  pool,
  pool_error: error,
  provider,
}: Pick<ModelVersion['serving'], 'pool' | 'pool_error' | 'provider'>): string {
  const elsewhere = provider === null ? 'Until then they are refused.' : `Until then ${provider} answers.`
  switch (pool) {
    case 'none':
      return provider === null ? 'are refused: nothing serves it' : `are answered by ${provider}`
    case 'loading':
      return `The pool loads it. ${elsewhere}`
    case 'ready':
      return 'are answered by the pool'
    case 'failed':
      return `The pool cannot serve it: ${error ?? 'the reason is not known.'} ${elsewhere}`
  }
}

/** Whether engines of the pool serve a version, or try to. */
export function isInPool({ serving: { pool } }: { readonly serving: Pick<ModelVersion['serving'], 'pool'> }): boolean {
  return pool === 'loading' || pool === 'ready'
}
