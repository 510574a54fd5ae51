import fc from 'fast-check'
import { countSearches } from './count-searches.ts'

const words = (tokens: number) => 'word'.repeat(tokens) // four bytes each

describe('countSearches', () => {
  it.each<[string, string, string[], number]>([
    ['one document', 'q', ['a'], 1],
    ['a hundred', 'q', new Array(100).fill('a'), 1],
    ['one more', 'q', new Array(101).fill('a'), 2],
    ['a document of 450 tokens with a query of 50', words(50), new Array(100).fill(words(450)), 1],
    ['a document of 451 tokens with a query of 50', words(50), new Array(100).fill(words(451)), 2],
    ['a query that is longer than a part', words(2_000), [words(100)], 1],
    ['empty documents', 'q', ['', ''], 1],
  ])('counts %s', (_, query, documents, searches) => {
    expect(countSearches({ query, documents }, 'usual')).toBe(searches)
  })

  it('counts only the fields that are ranked', () => {
    const documents = new Array(100).fill({ title: 'a', text: words(5_000) })
    expect(countSearches({ query: 'q', documents, rank_fields: ['title'] }, 'usual')).toBe(1)
    expect(countSearches({ query: 'q', documents }, 'usual')).toBeGreaterThan(1)
  })

  it('never holds less than the usual count', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600 }), fc.array(fc.string({ maxLength: 3_000 })), (query, documents) => {
        const usual = countSearches({ query, documents }, 'usual')
        expect(countSearches({ query, documents }, 'most')).toBeGreaterThanOrEqual(usual)
      }),
    )
  })
})
