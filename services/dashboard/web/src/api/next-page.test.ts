import { z } from 'zod'
import { nextPage } from './next-page.ts'

const pages = [{ data: [{ id: 'a' }, { id: 'b' }] }, { data: [{ id: 'c' }] }]

it('continues after the last item where the endpoint takes that', () => {
  expect(nextPage({ query: z.object({ after: z.string().optional() }) }, pages)).toEqual({ after: 'c' })
})

it('continues by the number of items read where it does not', () => {
  expect(nextPage({ query: z.object({ offset: z.number() }) }, pages)).toEqual({ offset: 3 })
})

it('continues where the reply says, whatever its items are', () => {
  const query = z.object({ after: z.string().optional() })
  expect(nextPage({ query }, [{ data: [{ id: 'a' }], next: 'place' }])).toEqual({ after: 'place' })
})
