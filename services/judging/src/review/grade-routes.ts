import type { Identity } from '@ratchet/contracts/identity'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { claimItems, gradeItem, readBatch, renewClaims } from '@ratchet/contracts/review-grades'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { CriterionStore } from '../criteria/criterion.ts'
import type { GradeWork } from '../labels/grade-work.ts'
import { judgedVerdictOf } from '../labels/grading-frame.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import { type ClaimDeps, claimItems as claim, type ShownClaim } from './claim-items.ts'
import { evidenceOf } from './evidence.ts'
import { type GradeItemDeps, gradeItem as grade } from './grade-item.ts'
import type { BatchReads, RevealedRow } from './pg-batches.ts'
import type { ReviewGradeStore } from './pg-review-grades.ts'
import type { RoundStore } from './pg-rounds.ts'
import { readRoundItems } from './read-round-items.ts'
import { requireRound } from './require-round.ts'
import { leaseMs, type Round, roundStatus } from './round.ts'

export interface GradeRouteDeps extends ClaimDeps, Omit<GradeItemDeps, 'grades'> {
  readonly gradeWork: GradeWork
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly rounds: Pick<RoundStore, 'get'>
  readonly batches: BatchReads
  readonly grades: Pick<GradeReader, 'inForce' | 'unanswered'>
  readonly reviewGrades: ReviewGradeStore
  readonly notifyRound: (round: Pick<Round, 'workspaceId' | 'id'>, version: number) => Promise<void>
}

/** What a person who grades needs. Nothing here tells a verdict before a batch is complete. */
export function gradeRoutes(router: Router, deps: GradeRouteDeps): void {
  mountJson(router, claimItems, async ({ params, body, identity }) => {
    const round = await requireOpenRound(deps, identity, params.id)
    const holding = body.holding.flatMap((id) => uuidOf('claim', id) ?? [])
    const request = { identity, round, graderId: identity.userId, count: body.count, holding }
    return { reply: claimReply(await claim(deps, request)) }
  })
  mountJson(router, renewClaims, async ({ params, body, identity }) => {
    const round = await requireRound(deps.rounds, identity, params.id)
    const ids = body.claim_ids.flatMap((id) => uuidOf('claim', id) ?? [])
    const at = deps.now()
    const until = new Date(at.getTime() + leaseMs)
    const renewed = await deps.claims.renew({ round, graderId: identity.userId }, ids, { at, until })
    const data = renewed.map((id) => ({ id: publicId('claim', id), leased_until: until.toISOString() }))
    return { reply: { object: 'list' as const, data } }
  })
  mountJson(router, gradeItem, async ({ body, identity }) => {
    const { item, grade: stored } = await grade({ ...deps, grades: deps.reviewGrades }, identity, {
      gradeId: body.grade_id,
      claimId: requireId('claim', body.claim_id, 'claim_id'),
      itemId: requireId('reviewItem', body.item_id, 'item_id'),
      answer: body.label,
      reasons: body.reasons,
      rationale: body.rationale ?? null,
      shownMs: body.shown_ms,
      seenAll: body.seen_all,
    })
    await deps.notifyRound({ workspaceId: item.workspaceId, id: item.roundId }, stored.version)
    const { isBlind: blind, isBatchComplete: batch_complete } = stored
    return { reply: { object: 'review.grade' as const, grade_id: body.grade_id, blind, batch_complete } }
  })
  mount(router, readBatch, ({ params, identity }) => revealBatch(deps, identity, params))
}

function requireId(kind: 'claim' | 'reviewItem', id: string, param: string): string {
  const uuid = uuidOf(kind, id)
  if (uuid === null) throw notFound(kind === 'claim' ? 'batch' : 'item', param)
  return uuid
}

async function requireOpenRound({ rounds }: GradeRouteDeps, identity: Identity, id: string): Promise<Round> {
  const round = await requireRound(rounds, identity, id)
  const status = roundStatus(round)
  if (status === 'open') return round
  throw new ServiceError('conflict', `The round is not open: it is ${status}.`, { param: 'id' })
}

function claimReply(shown: ShownClaim | null) {
  if (shown === null) return { object: 'review.claim' as const, id: null, batch: null, leased_until: null, items: [] }
  return {
    object: 'review.claim' as const,
    id: publicId('claim', shown.id),
    batch: shown.batch,
    leased_until: shown.leasedUntil.toISOString(),
    items: shown.items.map(({ id, content: { messages, response, tools } }) => ({
      id: publicId('reviewItem', id),
      messages: [...messages],
      response,
      tools: tools === null ? null : [...tools],
    })),
  }
}

async function revealBatch(
  deps: GradeRouteDeps,
  identity: Identity,
  { id, n }: { readonly id: string; readonly n: string },
) {
  const round = await requireRound(deps.rounds, identity, id)
  const grader = { round, graderId: identity.userId }
  const at = deps.now()
  const claimId = await deps.batches.reveal(grader, Number(n), at)
  if (claimId === null) throw notFound('batch', 'n')
  if (claimId === 'open') throw new ServiceError('conflict', 'Items of this batch have no grade yet.', { param: 'n' })
  const criterion = await deps.criteria.get({ workspaceId: round.workspaceId, id: round.criterionId })
  const hidden = await deps.batches.hiddenLabels(round, at)
  const items = await readRoundItems(deps, criterion, { roundId: round.id, hidden, at })
  return {
    object: 'review.batch' as const,
    batch: Number(n),
    items: (await deps.batches.items(grader, claimId)).map(revealedReply),
    evidence: evidenceOf(items, round.id),
  }
}

function revealedReply({ id, logId, traceId, kind, answer, stratum, explanation, known }: RevealedRow) {
  return {
    id: publicId('reviewItem', id),
    log_id: logId === null || traceId !== null ? null : publicId('log', logId),
    trace_id: traceId,
    kind,
    label: answer,
    verdict: stratum === null ? null : judgedVerdictOf(stratum),
    explanation,
    known,
  }
}
