import { Slug } from '@ratchet/contracts/dashboard/values'
import { slugOf } from './slug-of.ts'

it.each([
  ['Acme Support', 'acme-support'],
  ['  Café №1 ', 'cafe-no1'],
  ['--', ''],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
])('%j suggests %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
  if (slug !== '') expect(Slug.safeParse(slug).success).toBe(true)
})
