import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { z } from 'zod'
import { deterministicId } from './deterministic-id.ts'

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

it('tells lists of parts apart, however their texts join', () => {
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
