import { checkVersionEvals, getVersionFacts } from '@ratchet/contracts/internal-versions'
import { publicId } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import { type CheckEvalsDeps, checkEvals } from './check-evals.ts'
import { rewardsOf } from './reward-source.ts'
import type { VersionStore } from './version-store.ts'

export interface FactsDeps extends CheckEvalsDeps {
  readonly versions: CheckEvalsDeps['versions'] & Pick<VersionStore, 'named'>
}

const maxEvals = 50

/** What the alias service asks before an alias may route to a version. */
export function factsRoutes(router: Router, deps: FactsDeps): void {
  const { versions, rewards } = deps
  mount(router, getVersionFacts, async ({ query: { model }, identity: { workspaceId } }) => {
    const version = await versions.named({ workspaceId, name: model })
    if (version === null) return { version: null }
    const ancestry = await versions.ancestry(version)
    const [reward] = await rewardsOf(rewards, ancestry)
    return {
      version: {
        id: publicId('modelVersion', version.id),
        model,
        status: version.status,
        start_model: ancestry[1]?.name ?? version.baseModel,
        from_reward: version.isFromReward,
        guard: reward?.guard ?? null,
        audit: reward?.audit ?? null,
      },
    }
  })
  mount(router, checkVersionEvals, async ({ query, identity }) => {
    const version = await versions.named({ workspaceId: identity.workspaceId, name: query.model })
    if (version === null) return { data: [] }
    const checked = await checkEvals(deps, { version, identity, ids: query.eval_ids.slice(0, maxEvals) })
    return {
      data: checked.map(({ evalId, trainedPrompts, isIndependent }) => {
        return { eval_id: evalId, trained_prompts: trainedPrompts, independent: isIndependent }
      }),
    }
  })
}
