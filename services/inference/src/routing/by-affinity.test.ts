import { byAffinity } from './by-affinity.ts'

const places = [
  { id: 'a', weight: 1 },
  { id: 'b', weight: 1 },
  { id: 'c', weight: 2 },
]
const conversations = Array.from({ length: 4_000 }, (_, i) => `conversation ${i}`)
const firstOf = (deployments: typeof places, conversation: string) => byAffinity(deployments, conversation)[0]?.id

describe('byAffinity', () => {
  it('gives each deployment its share of the conversations', () => {
    const firsts = conversations.map((each) => firstOf(places, each))
    const shareOf = (id: string) => firsts.filter((each) => each === id).length / conversations.length
    for (const [id, share] of [
      ['a', 0.25],
      ['b', 0.25],
      ['c', 0.5],
    ] as const) {
      // Four standard deviations.
      expect(Math.abs(shareOf(id) - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / conversations.length))
    }
  })

  it('moves only the conversations of a deployment that is missing, each to its second one', () => {
    const rest = places.filter(({ id }) => id !== 'c')
    for (const conversation of conversations.slice(0, 500)) {
      const order = byAffinity(places, conversation).map(({ id }) => id)
      expect(byAffinity(rest, conversation).map(({ id }) => id)).toEqual(order.filter((id) => id !== 'c'))
    }
  })
})
