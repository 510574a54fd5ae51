import type { JudgedPair } from '../judging/pair-verdict.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import type { AskedQuestion } from './difference-of.ts'
import { answer, lost, tied, won } from './measured-samples.fixture.ts'

/** True shares of wins and losses of a candidate; the rest are ties. */
export interface TrueShares {
  readonly wins: number
  readonly losses: number
}

export function drawPair(random: () => number, { wins, losses }: TrueShares): JudgedPair {
  const place = random()
  return place < wins ? won : place < wins + losses ? lost : tied
}

/** Finished samples of one candidate whose true shares are known. */
export function drawSamples(random: () => number, count: number, shares: TrueShares): readonly MeasuredSample[] {
  return Array.from({ length: count }, (_, place) => ({
    id: `sample-${String(place).padStart(6, '0')}`,
    cluster: `prompt-${place}`,
    traceId: null,
    segment: null,
    isFinished: true,
    answers: [answer(), answer()],
    pairs: [drawPair(random, shares)],
  }))
}

export function asked(more: Partial<AskedQuestion> = {}): AskedQuestion {
  return { question: 'better', margin: null, isSequential: false, plannedSamples: 500, candidates: 1, ...more }
}
