import type { Identity } from '@ratchet/contracts/identity'
import type { ModelVersionDetail } from '@ratchet/contracts/model-versions'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { isIndependent } from './check-evals.ts'
import type { StoredVersion } from './model-version.ts'
import { type RewardSources, rewardsOf } from './reward-source.ts'
import type { VersionEvals } from './version-evals.ts'
import type { VersionStore } from './version-store.ts'

export interface ReadEvidenceDeps {
  readonly versions: Pick<VersionStore, 'ancestry'>
  readonly rewards: RewardSources
  readonly evals: VersionEvals
}

/**
 * What is known of the quality of a version: its evals, and what guard and people said. While evals cannot be read, nothing is
 * known of them, and the rest is.
 */
export async function readEvidence(
  { versions, rewards, evals }: ReadEvidenceDeps,
  identity: Identity,
  version: StoredVersion,
): Promise<Pick<ModelVersionDetail, 'eval_ids' | 'evidence'>> {
  const [found, facts] = await Promise.all([
    evals.ofCandidate(identity, version.name).catch(unread),
    versions.ancestry(version).then((ancestry) => rewardsOf(rewards, ancestry)),
  ])
  const [newest] = found ?? []
  const [own] = facts
  const read = newest === undefined ? null : await evals.get(identity, newest.id).catch(unread)
  const figures = read?.report?.candidates[version.name]
  return {
    eval_ids: found?.map(({ id }) => id) ?? null,
    evidence: {
      eval_id: read?.id ?? null,
      baseline_model: read?.baseline_model ?? null,
      win_rate: figures?.win_rate ?? null,
      win_rate_ci: figures?.win_rate_ci ?? null,
      proof_uses: read?.evidence?.[version.name]?.prompt_uses ?? null,
      guard_verdict: own?.guard ?? null,
      audit: own?.audit ?? null,
      independent: read === null || read.criterion_id === null ? null : isIndependent(read, version, facts),
    },
  }
}

function unread(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'service_unavailable') return null
  throw error
}
