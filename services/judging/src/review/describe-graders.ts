import { publicId } from '@ratchet/contracts/public-id'
import type { readGraders } from '@ratchet/contracts/review-people'
import { sortInSteps } from '@ratchet/service-kit/timing/sort-in-steps'
import { cohenKappa } from '@ratchet/stats/cohen-kappa'
import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import type { z } from 'zod'
import { agreementOf } from '../labels/agreement.ts'
import type { CountedGrade } from '../labels/label-queries.ts'
import type { GraderFigures } from './pg-graders.ts'

export interface GradersFacts {
  readonly criterionId: string
  /** The person who asks: only they see how often they contradict themselves. */
  readonly viewerId: string
  readonly grades: readonly CountedGrade[]
  readonly figures: ReadonlyMap<string, GraderFigures>
}

type GradersReply = z.input<typeof readGraders.reply>

const maxDisagreements = 10

/**
 * How people grade for a judge. The agreement is computed as `labels/agreement` computes it. Yields from time to time,
 * because there may be tens of thousands of grades.
 */
export function* describeGraders({
  criterionId,
  viewerId,
  grades,
  figures,
}: GradersFacts): Generator<void, GradersReply> {
  const agreement = yield* agreementOf(grades)
  const withMajority = new Map(agreement.graders.map(({ graderId, withMajority: share }) => [graderId, share]))
  const byGrader = [...(yield* groupByGrader(grades))]
  const graders = yield* sortInSteps(
    byGrader,
    ([oneId, one], [otherId, other]) => other.length - one.length || (oneId < otherId ? -1 : 1),
  )
  return {
    object: 'review.graders',
    criterion_id: publicId('criterion', criterionId),
    pairs_n: agreement.pairs,
    raw_agreement: agreement.rawAgreement,
    raw_agreement_ci: boundsOf(agreement.ceiling),
    cohen_kappa: agreement.cohenKappa,
    fleiss_kappa: agreement.fleissKappa,
    ceiling: ceilingOf(agreement.rawAgreement, boundsOf(agreement.ceiling)),
    graders: graders.map(([graderId, own]) => ({
      ...gradesReply(graderId, own),
      agreement_with_majority: withMajority.get(graderId) ?? null,
      median_seconds: secondsOf(figures.get(graderId)?.medianMs ?? null),
      ...(graderId === viewerId ? selfReply(figures.get(graderId)) : { self_agreement: null, known: null }),
    })),
    pairs: yield* pairsOf(byGrader),
    disagreements: agreement.disagreements.slice(0, maxDisagreements).map(itemId),
  }
}

function itemId({ id, logId }: CountedGrade): string {
  return logId === null ? publicId('label', id) : publicId('log', logId)
}

function ceilingOf(rate: number | null, ci: [number, number] | null): GradersReply['ceiling'] {
  return rate === null || ci === null ? null : { rate, ci }
}

function boundsOf(interval: { readonly low: number; readonly high: number } | null): [number, number] | null {
  return interval === null ? null : [interval.low, interval.high]
}

function gradesReply(graderId: string, grades: readonly CountedGrade[]) {
  const fails = grades.filter(({ label }) => label === 'fail').length
  return {
    grader_id: graderId,
    grades: grades.length,
    fail_rate: fails / grades.length,
    fail_rate_ci: boundsOf(wilsonInterval(fails, grades.length)),
  }
}

function secondsOf(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1_000
}

function selfReply(figures: GraderFigures | undefined) {
  if (figures === undefined) return { self_agreement: null, known: null }
  const { again, known } = figures
  const rate = again.count === 0 ? null : again.same / again.count
  return {
    self_agreement: { same: again.same, n: again.count, rate },
    known: { right: known.right, n: known.count },
  }
}

/** Limits the graders that are paired, because the number of pairs grows with their square. */
const maxPaired = 20

type GradesOf = readonly [graderId: string, grades: readonly CountedGrade[]]

function* pairsOf(byGrader: readonly GradesOf[]): Generator<void, GradersReply['pairs']> {
  const sorted = yield* sortInSteps(byGrader, ([, one], [, other]) => other.length - one.length)
  const busiest: GraderLabels[] = []
  for (const [graderId, own] of sorted.slice(0, maxPaired)) {
    busiest.push({ graderId, labels: new Map(own.map(({ itemKey, label }) => [itemKey, label])) })
    yield
  }
  const pairs: GradersReply['pairs'] = []
  for (const [index, one] of busiest.entries()) {
    for (const other of busiest.slice(index + 1)) {
      pairs.push(...pairOf(one, other))
      yield
    }
  }
  return pairs
}

function* groupByGrader(grades: readonly CountedGrade[]) {
  const groups = new Map<string, CountedGrade[]>()
  for (const grade of grades) {
    const known = groups.get(grade.graderId)
    if (known === undefined) groups.set(grade.graderId, [grade])
    else known.push(grade)
    yield
  }
  return groups
}

interface GraderLabels {
  readonly graderId: string
  readonly labels: ReadonlyMap<string, CountedGrade['label']>
}

function pairOf(one: GraderLabels, other: GraderLabels): GradersReply['pairs'] {
  const counts = { tp: 0, fn: 0, fp: 0, tn: 0 }
  for (const [itemKey, label] of one.labels) {
    const second = other.labels.get(itemKey)
    if (second === undefined) continue
    if (label === 'fail') counts[second === 'fail' ? 'tp' : 'fn'] += 1
    else counts[second === 'fail' ? 'fp' : 'tn'] += 1
  }
  const n = counts.tp + counts.fn + counts.fp + counts.tn
  const interval = boundsOf(wilsonInterval(counts.tp + counts.tn, n))
  if (interval === null) return []
  return [
    {
      grader_ids: [one.graderId, other.graderId],
      n,
      raw_agreement: (counts.tp + counts.tn) / n,
      raw_agreement_ci: interval,
      cohen_kappa: cohenKappa(counts),
    },
  ]
}
