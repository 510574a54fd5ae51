import { hashIdempotencyKey, readIdempotencyKey } from './idempotency-key.ts'

it('reads a key of 1 to 255 visible ASCII characters unchanged', () => {
  const every = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('')

  expect(readIdempotencyKey(undefined)).toBeNull()
  expect(readIdempotencyKey('a')).toBe('a')
  expect(readIdempotencyKey(every)).toBe(every)
  expect(readIdempotencyKey('x'.repeat(255))).toBe('x'.repeat(255))
})

it.each(['', ' ', 'two words', 'first, second', 'tab\t', 'é', '\x7f', '\0', 'x'.repeat(256)])(
  'refuses %j and names the header',
  (value) => {
    expect(() => readIdempotencyKey(value)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'Idempotency-Key' }),
    )
  },
)

it('stores a key as its SHA-256', () => {
  expect(hashIdempotencyKey('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
