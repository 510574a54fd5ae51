import type { Preferred } from '@ratchet/contracts/eval-preferences'
import { answer, noAnswer, pairsOf, samplesWith, unjudged } from '../report/measured-samples.fixture.ts'
import { calibrateJudge } from './calibrate-judge.ts'
import type { CurrentPreference } from './preference.ts'

const counts = { wins: 60, ties: 20, losses: 20 }
const samples = samplesWith(pairsOf(counts).map((pair) => [pair]))

function preferring(from: number, preferred: readonly Preferred[], grader = 'anna'): readonly CurrentPreference[] {
  return preferred.map((each, index) => ({
    place: `sample-${String(from + index).padStart(6, '0')}`,
    candidateIndex: 1,
    preferred: each,
    grader,
  }))
}
const times = (preferred: Preferred, count: number) => Array.from({ length: count }, () => preferred)

describe('the calibration of a pairwise judge', () => {
  it('says how many preferences of each outcome are missing, and estimates nothing before', () => {
    expect(calibrateJudge(samples, preferring(0, times('candidate', 3)), 0)).toEqual({
      graded: 3,
      grades_needed: { win: 2, tie: 5, loss: 5 },
      accuracy: null,
      accuracy_ci: null,
      corrected_win_rate: null,
      corrected_win_rate_ci: null,
    })
  })

  it('corrects the win rate for the errors of each outcome, in whatever proportion outcomes are graded', () => {
    // Half of the judged wins are losses for people; everything else agrees.
    const graded = [
      ...preferring(0, [...times('candidate', 10), ...times('baseline', 10)]),
      ...preferring(60, times('tie', 10)),
      ...preferring(80, times('baseline', 20)),
    ]
    const found = calibrateJudge(samples, graded, 0)
    expect(found).toMatchObject({ graded: 50, accuracy: expect.closeTo(0.7, 12) })
    // Wins count 0, ties 0 and losses −1: −0.2, a win rate of 0.4 instead of 0.7.
    expect(found.corrected_win_rate).toBeCloseTo(0.4, 12)
    const [low, high] = found.corrected_win_rate_ci ?? [1, 0]
    expect([low > 0.25, low < 0.4, high > 0.4, high < 0.6]).toEqual([true, true, true, true])
    expect(found.accuracy_ci![0]).toBeLessThan(0.6)
  })

  it('counts the majority of graders, and no pair without one', () => {
    const graded = [
      ...preferring(0, ['candidate'], 'anna'),
      ...preferring(0, ['baseline'], 'ben'),
      ...preferring(1, ['tie'], 'anna'),
      ...preferring(1, ['tie'], 'ben'),
      ...preferring(1, ['baseline'], 'carl'),
    ]
    expect(calibrateJudge(samples, graded, 0).graded).toBe(1)
  })

  it('needs no preference for a missing answer, which is a loss, and ignores other candidates and unjudged pairs', () => {
    const failing = samplesWith(
      [...pairsOf({ wins: 5 }), unjudged, unjudged].map((pair) => [pair]),
      (place) => (place === 5 ? { answers: [answer(), noAnswer] } : {}),
    )
    const graded = preferring(0, times('candidate', 5))
    const others = graded.map((each) => ({ ...each, candidateIndex: 2 }))
    expect(calibrateJudge(failing, graded, 0)).toMatchObject({
      graded: 5,
      accuracy: 1,
      corrected_win_rate: expect.closeTo(5 / 6, 12),
    })
    expect(calibrateJudge(failing, others, 0).graded).toBe(0)
  })

  it('does not take a missing answer of the baseline for a verdict of the judge', () => {
    const failing = samplesWith(
      [...pairsOf({ wins: 5 }), ...Array(5).fill(unjudged)].map((pair) => [pair]),
      (place) => (place >= 5 ? { answers: [noAnswer, answer()] } : {}),
    )
    expect(calibrateJudge(failing, preferring(0, times('baseline', 5)), 0)).toMatchObject({
      graded: 5,
      accuracy: 0,
      corrected_win_rate: expect.closeTo(0.5, 12),
    })
  })
})
