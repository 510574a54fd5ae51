import { z } from 'zod'
import { firstPlace, nextPlace } from './next-page.ts'

const second = { query: { after: 'b' }, index: 2, previous: firstPlace }
const page = { data: [{ id: 'c' }] }

it('continues after the last item where the endpoint takes that, and knows the pages before it', () => {
  const query = z.object({ after: z.string().optional() })
  const third = nextPlace({ query }, page, second)
  expect(third).toEqual({ query: { after: 'c' }, index: 3, previous: second })
  expect(third.previous?.previous).toBe(firstPlace)
})

it('continues by the number of items before it where it does not', () => {
  expect(nextPlace({ query: z.object({ offset: z.number() }) }, page, second).query).toEqual({ offset: 3 })
})

it('continues where the reply says, whatever its items are', () => {
  const query = z.object({ after: z.string().optional() })
  expect(nextPlace({ query }, { ...page, next: 'place' }, second).query).toEqual({ after: 'place' })
})
