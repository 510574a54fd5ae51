import { isSampled } from '@ratchet/stats/deterministic-sample'
import fc from 'fast-check'
import { aliasRoute, testAliasId } from '../workspace-settings/alias-route.fixture.ts'
import type { AliasRoute } from '../workspace-settings/alias-route.ts'
import { modelOfArm, pickArm } from './pick-arm.ts'

const trials = 20_000
const ids = Array.from({ length: trials }, (_, index) => `req-${index}`)

const split = (canaryPercent: number, changes: Partial<AliasRoute> = {}) =>
  aliasRoute({ canaryModel: 'acme/new', canaryPercent, ...changes })

function canariesOf(route: AliasRoute): ReadonlySet<string> {
  return new Set(ids.filter((requestId) => pickArm(route, { requestId, traceId: null }) === 'canary'))
}

/** Five standard deviations of a count with this probability. */
const fiveSd = (share: number) => 5 * Math.sqrt(trials * share * (1 - share))

function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((id) => other.has(id)).length
}

describe('pickArm', () => {
  it.each([1, 10, 50, 97])('assigns %i %% of requests to the canary', (percent) => {
    const share = percent / 100
    expect(Math.abs(canariesOf(split(percent)).size - trials * share)).toBeLessThan(fiveSd(share))
  })

  it('assigns none at 0, all at 100, and none without a canary', () => {
    expect(canariesOf(split(0)).size).toBe(0)
    expect(canariesOf(split(100)).size).toBe(trials)
    expect(canariesOf(aliasRoute({ canaryPercent: 100 })).size).toBe(0)
  })

  it('is deterministic, and a canary whose share rises keeps its requests', () => {
    const percent = fc.integer({ min: 0, max: 100 })
    fc.assert(
      fc.property(fc.string(), percent, percent, (requestId, one, other) => {
        const at = (share: number) => pickArm(split(share), { requestId, traceId: null })
        expect(at(one)).toBe(at(one))
        if (at(Math.min(one, other)) === 'canary') expect(at(Math.max(one, other))).toBe('canary')
      }),
    )
  })

  it('keeps the requests of a trace together when it is sticky, and assigns the others separately', () => {
    const byTrace = split(50, { stickyBy: 'trace' })
    const armsOf = (route: AliasRoute, traceId: string | null) =>
      new Set(ids.slice(0, 100).map((requestId) => pickArm(route, { requestId, traceId }))).size
    for (const trace of ['a', 'b', 'c', 'd']) expect(armsOf(byTrace, trace)).toBe(1)
    expect(new Set(ids.slice(0, 100).map((traceId) => pickArm(byTrace, { requestId: 'r', traceId }))).size).toBe(2)
    expect([armsOf(byTrace, null), armsOf(split(50), 'a')]).toEqual([2, 2])
  })

  it('never changes its hash, because that would move requests between arms inside a split', () => {
    const canaries = canariesOf(split(25))
    expect(ids.slice(0, 12).filter((id) => canaries.has(id))).toEqual(['req-2', 'req-5', 'req-11'])
  })

  it('is independent between two aliases, and of the sampling for judges', () => {
    const canaries = canariesOf(split(20))
    const elsewhere = canariesOf(split(20, { id: '00000000-0000-7000-8000-0000000000d2' }))
    expect(Math.abs(shared(canaries, elsewhere) - trials * 0.04)).toBeLessThan(fiveSd(0.04))
    const judged = new Set(ids.filter((logId) => isSampled({ criterionId: testAliasId, logId }, 20)))
    expect(Math.abs(shared(canaries, judged) - trials * 0.04)).toBeLessThan(fiveSd(0.04))
  })
})

it('is answered by the model of the arm', () => {
  expect(modelOfArm(split(10), 'target')).toBe('acme/fast')
  expect(modelOfArm(split(10), 'canary')).toBe('acme/new')
  expect(modelOfArm(aliasRoute(), 'canary')).toBe('acme/fast')
})
