import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { z } from 'zod'
import { deterministicId, idOfText } from './deterministic-id.ts'

const parts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', ':', '1:', '0:', '1:a', 'a')))
const wellFormed = parts.map((list) => list.map((part) => part.toWellFormed()))

it('is the same for the same parts, and a UUID of version 8', () => {
  fc.assert(
    fc.property(wellFormed, (list) => {
      const id = deterministicId(...list)
      expect(id).toBe(deterministicId(...list))
      expect(z.uuid({ version: 'v8' }).safeParse(id).success).toBe(true)
    }),
  )
})

it('differs for different lists of parts with the same concatenation', () => {
  fc.assert(
    fc.property(wellFormed, wellFormed, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      expect(deterministicId(...one)).not.toBe(deterministicId(...other))
    }),
  )
  expect(deterministicId('ab', 'c')).not.toBe(deterministicId('a', 'bc'))
  expect(deterministicId('a', '')).not.toBe(deterministicId('a'))
})

it('is of the SHA-256 of the parts with their lengths', () => {
  const digest = createHash('sha256').update('1:a3:€').digest('hex')
  const id = deterministicId('a', '€').replaceAll('-', '')
  expect(id.slice(0, 12) + id.slice(13, 16)).toBe(digest.slice(0, 12) + digest.slice(13, 16))
})

it('derives the same id from the same text as before', () => {
  // Ids of this form are stored: billing ids, imported log entries and traced requests.
  expect(idOfText('a text')).toBe('734194ed-e5b0-83e6-94d6-3cb95a682ca1')
  expect(idOfText('another')).not.toBe(idOfText('a text'))
})
