import type { Preferred } from '@ratchet/contracts/eval-preferences'
import { answer, noAnswer, pairsOf, samplesWith, unjudged, won } from '../report/measured-samples.fixture.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { type BlindPreference, comparedInOrder, openSamples } from './compared-blind.ts'

const samples = samplesWith(pairsOf({ wins: 6 }).map((pair) => [pair]))

function blind(of: readonly MeasuredSample[], places: readonly number[], preferred: Preferred = 'candidate') {
  return places.map(
    (place): BlindPreference => ({ place: of[place]!.id, candidateIndex: 1, preferred, createdBy: 'ann' }),
  )
}

describe('the samples that people compared', () => {
  it('count up to the first one that nobody compared', () => {
    expect(comparedInOrder(samples, blind(samples, [0, 1, 2, 4, 5]), 0)).toHaveLength(3)
    expect(comparedInOrder(samples, blind(samples, [1, 2]), 0)).toEqual([])
    expect(openSamples(samples, blind(samples, [0, 2]), 0).map(({ index }) => index)).toEqual([1, 3, 4, 5])
  })

  it('are those of the candidate', () => {
    const others = blind(samples, [0, 1]).map((each) => ({ ...each, candidateIndex: 2 }))
    expect(comparedInOrder(samples, others, 0)).toEqual([])
  })

  it('need nobody where an answer or the whole result is missing, which the candidate loses', () => {
    const changes: readonly Partial<MeasuredSample>[] = [
      { answers: [answer(), noAnswer], pairs: [unjudged] },
      { answers: [noAnswer, answer()], pairs: [unjudged] },
      { answers: [noAnswer, noAnswer], pairs: [unjudged] },
      { answers: [], pairs: [] },
    ]
    const failing = samplesWith(
      [...changes, {}].map(() => [won]),
      (place) => changes[place] ?? {},
    )
    const found = comparedInOrder(failing, [], 0).map(({ preferred }) => preferred)
    expect(found).toEqual(['baseline', 'candidate', 'baseline', 'baseline'])
    expect(openSamples(failing, [], 0).map(({ index }) => index)).toEqual([4])
  })

  it('end at the first sample that was not needed', () => {
    const stopped = samples.map((sample, place) => (place === 2 ? { ...sample, isFinished: false } : sample))
    expect(comparedInOrder(stopped, blind(samples, [0, 1, 2, 3]), 0)).toHaveLength(2)
    expect(openSamples(stopped, [], 0)).toHaveLength(2)
  })
})
