import {
  createCriterion,
  deleteCriterion,
  getCriterion,
  listCriteria,
  monitorCriterion,
  type Trust,
  type UpdateCriterion,
  updateCriterion,
} from '@ratchet/contracts/criteria'
import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import { answerJsonOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Router } from 'express'
import { changeCriterion } from './change-criterion.ts'
import { type CheckKindDeps, judgedBy, requireJudgedBy } from './check-kind.ts'
import type { GatesOf } from './create-gates-of.ts'
import type { RunsOf } from './create-runs-of.ts'
import type { CriterionStore, CriterionWriter, StoredCriterion } from './criterion.ts'
import { criterionReply } from './criterion-reply.ts'
import { type DescribeDeps, describeCriteria, describeCriterion } from './describe-criteria.ts'
import { newCriterion, patchOf } from './new-criterion.ts'
import { criterionNotFound, requireCriterion } from './require-criterion.ts'

interface CriterionRouteDeps extends DescribeDeps, OnceDeps, CheckKindDeps {
  readonly criteria: CriterionStore
  readonly gatesOf: GatesOf
  readonly runsOf: RunsOf
  readonly newId: () => string
}

export function criteriaRoutes(router: Router, deps: CriterionRouteDeps): void {
  const { criteria, now, newId } = deps
  mountJson(router, createCriterion, async ({ body, identity, request }) => {
    const { workspaceId, userId: createdBy } = identity
    const order = { request, identity, endpoint: createCriterion.path, body }
    const { answer: reply, headers } = await answerJsonOnce(deps, order, async () => {
      const by = await judgedBy(deps, body, identity)
      const criterion = newCriterion(body, { ...by, id: newId(), workspaceId, createdBy, createdAt: now() })
      await criteria.create(criterion, writerOf(identity, request))
      // Without reading: a failure after the creation would free the key, and a retry would create another judge.
      return criterionReply(criterion, { evidence: null, onlineSpentNano: 0n, panelSpentNano: 0n, monitored: null })
    })
    return { reply, headers }
  })
  mount(router, listCriteria, async ({ query, identity: { workspaceId } }) => {
    const { trust, limit, offset, ...filter } = query
    const found = await criteria.list({ ...filter, workspaceId })
    const matching = trust === undefined ? found : await withTrust(deps, found, trust)
    const data = await describeCriteria(deps, matching.slice(offset, offset + limit))
    const total = matching.length
    return pageReply(data, total, { limit, offset })
  })
  mount(router, getCriterion, async ({ params, identity }) =>
    describeCriterion(deps, await requireCriterion(criteria, identity, params.id)),
  )
  mountJson(router, updateCriterion, async ({ body, params, identity, request }) => ({
    reply: await update(deps, { id: params.id, identity, body, by: writerOf(identity, request) }),
  }))
  mountJson(router, monitorCriterion, async ({ body, params, identity, request }) => ({
    reply: await update(deps, { id: params.id, identity, body, by: writerOf(identity, request) }),
  }))
  mount(router, deleteCriterion, async ({ params, identity, request }) => {
    const { workspaceId, id } = await requireCriterion(criteria, identity, params.id)
    const gates = await deps.gatesOf(identity, id)
    if (gates.length > 0) {
      throw new ServiceError('criterion_in_use', `Gates of these aliases use this criterion: ${gates.join(', ')}.`)
    }
    requireNoRuns(await deps.runsOf(identity, id))
    if (!(await criteria.delete({ workspaceId, id }, now(), writerOf(identity, request)))) throw criterionNotFound()
    return { id: params.id, deleted: true as const }
  })
}

function writerOf({ userId, keyId, session }: Identity, { id: requestId }: Request): CriterionWriter {
  return { userId, keyId, sessionId: session?.id ?? null, requestId }
}

async function withTrust({ calibrations }: CriterionRouteDeps, criteria: readonly StoredCriterion[], trust: Trust) {
  const evidence = await calibrations.evidence(criteria.map(({ id }) => id))
  return criteria.filter(({ id }) => (evidence.get(id)?.measures.trust ?? 'unmeasured') === trust)
}

/** What an unfinished run is rewarded by stays as it is. @throws ServiceError `criterion_in_use` */
function requireNoRuns(runs: readonly string[]): void {
  if (runs.length === 0) return
  const names = runs.map((name) => JSON.stringify(name)).join(', ')
  const message = `Unfinished GRPO runs use this criterion: ${names}. Cancel them, or create another criterion.`
  throw new ServiceError('criterion_in_use', message)
}

interface Update {
  readonly id: string
  readonly identity: Identity
  readonly body: UpdateCriterion
  readonly by: CriterionWriter
}

async function update(deps: CriterionRouteDeps, { id, identity, body, by }: Update) {
  const { criteria, now } = deps
  const criterion = await requireCriterion(criteria, identity, id)
  const fixed = (['unit', 'kind'] as const).find((field) => field in body)
  if (fixed !== undefined) {
    const message = `The ${fixed} of a criterion cannot be changed. Create another criterion.`
    throw new ServiceError('immutable_parameter', message, { param: fixed })
  }
  await requireJudgedBy(deps, { criterion, body, identity })
  const patch = patchOf(body)
  if (changeCriterion(criterion, patch).voids !== null) requireNoRuns(await deps.runsOf(identity, criterion.id))
  const changed = await criteria.update(criterion, (current) => changeCriterion(current, patch), now(), by)
  if (changed === null) throw criterionNotFound()
  return describeCriterion(deps, changed)
}
