import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { ReviewRound, ReviewRoundDetails } from '@ratchet/contracts/review-rounds'
import { judgedVerdictOf } from '../labels/grading-frame.ts'
import type { DecidedItem } from './evidence.ts'
import type { StrataRow } from './pg-batches.ts'
import type { RoundFigures } from './pg-rounds.ts'
import { type Round, roundStatus } from './round.ts'

export function roundReply(round: Round, figures: RoundFigures): ReviewRound {
  const { total, done, costNano, waitingFor } = figures.verdicts
  const isOver = roundStatus(round) !== 'preparing'
  return {
    object: 'review.round',
    id: publicId('round', round.id),
    criterion_id: publicId('criterion', round.criterionId),
    challenger_id: round.challengerId === null ? null : publicId('criterion', round.challengerId),
    unit: round.unit,
    status: roundStatus(round),
    error: round.run.error,
    progress: { done: isOver ? (round.run.rowsTotal ?? total) : done, total: round.run.rowsTotal ?? total },
    waiting_for: isOver ? null : waitingFor,
    frame_rows: figures.frameRows,
    double_percent: round.shares.double,
    again_percent: round.shares.again,
    known_percent: round.shares.known,
    graded: figures.graded,
    unsure: figures.unsure,
    not_seen: figures.notSeen,
    graders: [...figures.graders],
    shown_ms: figures.shownMs,
    cost_usd: nanoToUsd(costNano),
    created_by: round.createdBy,
    created_at: round.createdAt.toISOString(),
    closed_at: round.closedAt?.toISOString() ?? null,
  }
}

export function strataReply(strata: readonly StrataRow[], items: readonly DecidedItem[]): ReviewRoundDetails['strata'] {
  const decided = Map.groupBy(items, ({ stratum }) => stratum)
  return strata.map(({ stratum, rows, taken }) => {
    const graded = decided.get(stratum) ?? []
    const fails = graded.filter(({ item }) => item.human === 'fail').length
    const passes = graded.length - fails
    const verdict = judgedVerdictOf(stratum) ?? 'pass'
    return { stratum, verdict, rows, taken, fails, passes, available: rows - taken }
  })
}
