import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { hmacSha256 } from './hmac-sha256.ts'

it('equals Node’s own HMAC for any key and text', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.string({ unit: 'binary', maxLength: 3_000 }), { minLength: 1, maxLength: 5 }),
      (secret, texts) => {
        const mac = hmacSha256(secret)
        for (const text of texts) {
          expect(mac(text).toString('hex')).toBe(createHmac('sha256', secret).update(text).digest('hex'))
        }
      },
    ),
  )
})

it('returns results that later calls do not change', () => {
  const mac = hmacSha256(randomBytes(32))
  const first = mac('a')
  const copy = Buffer.from(first)
  mac('b')
  expect(first).toEqual(copy)
})
