import fc from 'fast-check'
import { plainCallId } from './plain-call-id.ts'

describe('plainCallId', () => {
  it('leaves an id unchanged that every provider accepts', () => {
    for (const id of ['call_1', 'toolu_01-a', 'x'.repeat(64)]) expect(plainCallId(id)).toBe(id)
  })

  it('derives a plain id from any other one, deterministically and without collisions', () => {
    const ids = ['functions.search:0', 'functions.search.0', 'functions_search_0', 'é', 'x'.repeat(65), 'x'.repeat(66)]
    const made = ids.map(plainCallId)
    expect(new Set(made).size).toBe(ids.length)
    expect(ids.map(plainCallId)).toEqual(made)
    fc.assert(fc.property(fc.string({ minLength: 1 }), (id) => expect(plainCallId(id)).toMatch(/^[\w-]{1,64}$/)))
  })
})
