import fc from 'fast-check'
import type { Provider } from '../wire/provider.ts'
import { chooseDeployment } from './choose-deployment.ts'
import type { Deployment } from './deployment.ts'

const anonymous = new Set<Deployment>()

function place(id: string, { weight = 1, isEjected = false, isFull = false, inFlight = 0 } = {}): Deployment {
  const health = { inFlight, tryEnter: () => !isFull, leave() {}, isEjected: () => isEjected }
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

  const talk = (deployments: readonly Deployment[], tried: ReadonlySet<Deployment> = anonymous) =>
    [0, 0.3, 0.6, 0.999].map((unit) => chooseDeployment(deployments, { tried, unit, conversation: 'case-7' })?.id)

  it('keeps a conversation at one deployment, also at another one while that is ejected or full', () => {
    const places = ['a', 'b', 'c'].map((id) => place(id))
    const [home = ''] = talk(places)
    expect(talk(places)).toEqual([home, home, home, home])
    for (const change of [{ isEjected: true }, { isFull: true }]) {
      const [second = '', ...rest] = talk(places.map((each) => (each.id === home ? place(home, change) : each)))
      expect(second).not.toBe(home)
      expect(new Set(rest)).toEqual(new Set([second]))
    }
  })

  it('sends a turn that failed there elsewhere', () => {
    const places = ['a', 'b', 'c'].map((id) => place(id))
    const home = places.filter(({ id }) => id === talk(places)[0])
    expect(talk(places, new Set(home))).not.toContain(home[0]?.id)
  })

  it('keeps a conversation at one replica, unless that has more calls than most', () => {
    const replicas = (busy: string, inFlight: number) =>
      ['a', 'b'].map((id) => ({ ...place(id, id === busy ? { inFlight } : {}), leastBusy: true }))
    const [home = ''] = talk(replicas('none', 0))
    expect(talk(replicas(home, 1))).toContain(home)
    expect(talk(replicas(home, 10))).not.toContain(home)
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
