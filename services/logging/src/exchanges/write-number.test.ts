import fc from 'fast-check'
import { longestNumber, writeNumber } from './write-number.ts'

const smallest = -(2n ** 63n)
const largest = 2n ** 63n - 1n

function written(value: bigint): string {
  const halves = new Int32Array(new BigInt64Array([value]).buffer)
  const text = new Uint8Array(longestNumber + 1)
  const end = writeNumber(text, 1, halves[1] as number, halves[0] as number)
  return Buffer.from(text.subarray(1, end)).toString()
}

it.each([
  0n,
  1n,
  -1n,
  999_999n,
  1_000_000n,
  -1_000_000n,
  2n ** 32n,
  -(2n ** 32n),
  10n ** 12n,
  10n ** 18n - 1n,
  largest,
  smallest,
])('writes %s', (value) => {
  expect(written(value)).toBe(String(value))
})

it('writes any 64-bit number', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: smallest, max: largest }), (value) => written(value) === String(value)),
    { numRuns: 2_000 },
  )
})
