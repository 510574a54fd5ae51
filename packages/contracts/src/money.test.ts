import fc from 'fast-check'
import { formatUsd, microToNano, nanoToMicro, nanoToUsd, parseUsd, parseUsdPerMtok, usdToNano } from './money.ts'

const ledgerAmount = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

describe('parseUsd', () => {
  it.each([
    ['0', 0n],
    ['2.50', 2_500_000_000n],
    ['2.5', 2_500_000_000n],
    ['0.05', 50_000_000n],
    ['0.000000001', 1n],
    ['007', 7_000_000_000n],
    ['-0.10', -100_000_000n],
    ['9200000000', 9_200_000_000_000_000_000n],
  ])('reads %s exactly', (text, nano) => {
    expect(parseUsd(text)).toBe(nano)
  })

  it.each([
    '',
    ' ',
    '1 ',
    '+1',
    '.5',
    '1.',
    '1e3',
    '1,000',
    '$1',
    'NaN',
    'Infinity',
    '0x10',
    '1_000',
    '1.2.3',
    '٣',
    '1\n',
  ])('refuses %j', (text) => {
    expect(() => parseUsd(text)).toThrow(RangeError)
  })

  it('refuses an amount that it would have to round', () => {
    expect(() => parseUsd('0.0000000001')).toThrow('more than 9 decimals')
  })

  it('does not repeat a long text', () => {
    expect(() => parseUsd('x'.repeat(10_000))).toThrow(/^.{0,100}$/)
  })

  it('reads what formatUsd writes', () => {
    fc.assert(fc.property(ledgerAmount, (nano) => parseUsd(formatUsd(nano)) === nano))
  })
})

describe('parseUsdPerMtok', () => {
  it.each([
    ['0.0375', 37_500n],
    ['0.05', 50_000n],
    ['1', 1_000_000n],
    ['180.00', 180_000_000n],
    ['0', 0n],
  ])('%s per million tokens is exact per token', (text, pico) => {
    expect(parseUsdPerMtok(text)).toBe(pico)
  })

  it('refuses a negative price and one that is not whole pico-dollars per token', () => {
    expect(() => parseUsdPerMtok('-1')).toThrow(RangeError)
    expect(() => parseUsdPerMtok('0.0000001')).toThrow('more than 6 decimals')
  })
})

describe('formatUsd', () => {
  it.each([
    [0n, '0.00'],
    [1n, '0.000000001'],
    [1_000n, '0.000001'],
    [2_500_000_000n, '2.50'],
    [2_505_000_000n, '2.505'],
    [-1_000_000n, '-0.001'],
    [1_234_567_890_000_000_000n, '1234567890.00'],
  ])('writes %s n$ as %s', (nano, text) => {
    expect(formatUsd(nano)).toBe(text)
  })
})

describe('micro-dollars', () => {
  it.each([
    [0n, 0n],
    [1n, 1n],
    [999n, 1n],
    [1_000n, 1n],
    [1_001n, 2n],
    [-1n, 0n],
    [-1_000n, -1n],
    [-1_001n, -1n],
  ])('%s n$ round up to %s', (nano, micro) => {
    expect(nanoToMicro(nano)).toBe(micro)
  })

  it('lose less than one micro-dollar, and nothing when the amount is whole', () => {
    fc.assert(
      fc.property(ledgerAmount, (nano) => {
        const lost = microToNano(nanoToMicro(nano)) - nano
        return lost >= 0n && lost < 1_000n && nanoToMicro(microToNano(nano)) === nano
      }),
    )
  })
})

describe('US dollars in JSON', () => {
  const micro = fc.bigInt({ min: -4_000_000_000_000_000n, max: 4_000_000_000_000_000n })

  it('are read back as the same whole micro-dollars', () => {
    fc.assert(fc.property(micro, (amount) => usdToNano(nanoToUsd(microToNano(amount))) === microToNano(amount)))
  })

  it('print without floating-point noise', () => {
    expect(JSON.stringify([nanoToUsd(123_000n), nanoToUsd(300_000_000n), nanoToUsd(1n)])).toBe(
      '[0.000123,0.3,0.000001]',
    )
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e10, -1e300])('refuse %d', (usd) => {
    expect(() => usdToNano(usd)).toThrow(RangeError)
  })

  it('refuse an amount that a number cannot represent', () => {
    expect(() => nanoToUsd(2n ** 63n)).toThrow(RangeError)
  })
})
