import fc from 'fast-check'
import type { Provider } from '../wire/provider.ts'
import { chooseDeployment } from './choose-deployment.ts'
import type { Deployment } from './deployment.ts'

const anonymous = new Set<Deployment>()

function place(id: string, { weight = 1, isEjected = false, isFull = false } = {}): Deployment {
  const health = { inFlight: 0, tryEnter: () => !isFull, leave() {}, isEjected: () => isEjected }
  return { id, provider: {} as Provider, host: null, upstreamModel: id, weight, health }
}

const choose = (deployments: readonly Deployment[], unit = 0, tried: ReadonlySet<Deployment> = anonymous) =>
  chooseDeployment(deployments, { tried, unit })?.id ?? null

describe('chooseDeployment', () => {
  it('distributes traffic by weight', () => {
    const places = [place('a', { weight: 1 }), place('b', { weight: 3 }), place('c', { weight: 4 })]
    const chosen = Array.from({ length: 800 }, (_, i) => choose(places, i / 800))
    const shareOf = (id: string) => chosen.filter((each) => each === id).length
    expect([shareOf('a'), shareOf('b'), shareOf('c')]).toEqual([100, 300, 400])
  })

  it('skips ejected deployments while another one is healthy', () => {
    const places = [place('a', { isEjected: true, weight: 1_000 }), place('b')]
    expect([0, 0.5, 0.999].map((unit) => choose(places, unit))).toEqual(['b', 'b', 'b'])
  })

  it('uses an ejected deployment when there is no other', () => {
    expect(choose([place('a', { isEjected: true })])).toBe('a')
    expect(choose([place('a', { isEjected: true }), place('b', { isFull: true })])).toBe('a')
  })

  it('uses a deployment with room', () => {
    expect(choose([place('a', { isFull: true }), place('b')])).toBe('b')
    expect(choose([place('a', { isFull: true }), place('b', { isFull: true })])).toBeNull()
  })

  it('avoids deployments where the request failed, unless there is no other', () => {
    const [a, b] = [place('a'), place('b')]
    expect(choose([a, b], 0, new Set([a]))).toBe('b')
    expect(choose([a], 0, new Set([a]))).toBe('a')
  })

  it('avoids them among ejected ones too, one of which may have recovered', () => {
    const [a, b] = [place('a', { isEjected: true }), place('b', { isEjected: true })]
    expect(choose([a, b], 0, new Set([a]))).toBe('b')
    expect(choose([a, b], 0, new Set([a, b]))).toBe('a')
  })

  it('always finds room while there is some', () => {
    const traits = fc.record({
      weight: fc.double({ min: 0.01, max: 100, noNaN: true }),
      isEjected: fc.boolean(),
      isFull: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(traits, { maxLength: 6 }), fc.double({ min: 0, max: 1, maxExcluded: true }), (all, unit) => {
        const places = all.map((each, index) => place(String(index), each))
        const chosen = choose(places, unit)
        expect(chosen !== null).toBe(all.some(({ isFull }) => !isFull))
        if (chosen !== null) expect(all[Number(chosen)]?.isFull).toBe(false)
      }),
    )
  })
})
