import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { adjudicate, listAdjudications, readWaitingItems } from '@ratchet/contracts/review-people'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { CriterionStore } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { freezeExchange } from '../labels/freeze-exchange.ts'
import type { StoredLabel } from '../labels/label.ts'
import type { LabelStore } from '../labels/pg-labels.ts'
import type { Redact } from '../labels/redact.ts'
import { redactRationale } from '../labels/redact-rationale.ts'
import type { DecisionReads, OpenDecision } from './pg-adjudications.ts'
import type { ClaimStore } from './pg-claims.ts'

export interface AdjudicationRouteDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly decisions: DecisionReads
  readonly claims: Pick<ClaimStore, 'waiting'>
  readonly labels: Pick<LabelStore, 'get' | 'add' | 'snapshots'>
  readonly redact: Redact
  readonly now: () => Date
  readonly newId: () => string
}

/** Items on which people disagree, for a third person who has not graded them and sees no names and no verdicts. */
export function adjudicationRoutes(router: Router, deps: AdjudicationRouteDeps): void {
  mount(router, listAdjudications, async ({ query, identity }) => {
    const { criterion_id: named, limit, offset } = query
    const criterion =
      named === undefined ? null : await requireCriterion(deps.criteria, identity, named, 'criterion_id')
    const filter = { criterionId: criterion?.id ?? null, id: null, limit, offset }
    const found = await deps.decisions.list({ ...filter, ...personOf(identity) })
    const snapshotIds = found.decisions.map(({ snapshotId }) => snapshotId)
    const snapshots = await deps.labels.snapshots(identity.workspaceId, snapshotIds)
    const data = found.decisions.flatMap((decision) => {
      const content = snapshots.get(decision.snapshotId)
      return content === undefined ? [] : [decisionReply(decision, content)]
    })
    return pageReply(data, found.total, query)
  })
  mount(router, readWaitingItems, async ({ identity }) => {
    const person = personOf(identity)
    const [started, { total: disputed }] = await Promise.all([
      deps.claims.waiting(person, deps.now()),
      deps.decisions.list({ ...person, criterionId: null, id: null, limit: 1, offset: 0 }),
    ])
    return { object: 'review.waiting' as const, started, disputed }
  })
  mountJson(router, adjudicate, async ({ params, body, identity }) => {
    const first = await requireDisputed(deps, identity, params.id)
    const rationale = await redactRationale(deps.redact, identity, body.rationale ?? null)
    await deps.labels.add([await decidingLabel(deps, identity, { first, label: body.label, rationale })], {
      skipsKnown: false,
    })
    const settled = await deps.decisions.isSettled(identity.workspaceId, first.id)
    return { reply: { object: 'review.decision' as const, id: params.id, label: body.label, settled } }
  })
}

function personOf({ workspaceId, userId: graderId }: Identity) {
  return { workspaceId, graderId }
}

type Content =
  Awaited<ReturnType<LabelStore['snapshots']>> extends ReadonlyMap<string, infer Snapshot> ? Snapshot : never

function decisionReply({ id, criterionId, grades }: OpenDecision, { messages, response, tools }: Content) {
  return {
    object: 'review.adjudication' as const,
    id: publicId('label', id),
    criterion_id: criterionId === null ? null : publicId('criterion', criterionId),
    messages: [...messages],
    response,
    tools: tools === null ? null : [...tools],
    grades: [...grades],
  }
}

/**
 * The first grade of an item that the person may decide.
 *
 * @throws ServiceError `not_found`; `conflict` for an item that is settled, or that the person has graded
 */
async function requireDisputed(deps: AdjudicationRouteDeps, identity: Identity, name: string): Promise<StoredLabel> {
  const id = uuidOf('label', name)
  const first = id === null ? null : await deps.labels.get({ workspaceId: identity.workspaceId, id })
  if (first === null) throw notFound('adjudication', 'id')
  const filter = { criterionId: first.criterionId, id, limit: 1, offset: 0 }
  const { total } = await deps.decisions.list({ ...filter, ...personOf(identity) })
  if (total > 0) return first
  throw new ServiceError('conflict', 'The item is settled, or you have graded it: another person must decide.', {
    param: 'id',
  })
}

interface Decision {
  readonly first: StoredLabel
  readonly label: StoredLabel['label']
  /** Redacted. */
  readonly rationale: string | null
}

/** One more grade of the same content, which was drawn as the first one was. */
async function decidingLabel(
  { labels, now, newId }: AdjudicationRouteDeps,
  { workspaceId, userId }: Identity,
  { first, label, rationale }: Decision,
) {
  const content = (await labels.snapshots(workspaceId, [first.snapshotId])).get(first.snapshotId)
  if (content === undefined) throw new Error('snapshots are never deleted')
  const { snapshotId: _, supersededBy: __, ...item } = first
  return {
    ...item,
    id: newId(),
    label,
    rationale,
    graderId: userId,
    source: 'review_queue' as const,
    blind: true,
    externalId: null,
    createdBy: userId,
    createdAt: now(),
    snapshot: freezeExchange(content),
  }
}
