import { criterionRuns } from '@ratchet/contracts/internal-grpo'
import { uuidOf } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { RunStore } from '../runs/run.ts'

export interface InternalGrpoDeps {
  readonly runs: Pick<RunStore, 'usersOf'>
}

/** For the service judging. The edge does not forward to it. */
export function internalGrpoRoutes(router: Router, { runs }: InternalGrpoDeps): void {
  mount(router, criterionRuns, async ({ query, identity: { workspaceId } }) => {
    const id = uuidOf('criterion', query.criterion_id)
    return { runs: id === null ? [] : [...(await runs.usersOf(workspaceId, id))] }
  })
}
