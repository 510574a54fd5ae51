/**
 * Money as integers. Inside the fleet it is nano-dollars (n$, 10⁻⁹ USD) in `bigint`, so the range of a Postgres
 * `bigint` is ±9.2 billion dollars. Prices per token are pico-dollars (p$, 10⁻¹² USD), because 0.0375 USD per million
 * tokens is 37.5 n$ per token. In the API money is US dollars, precise to the micro-dollar (10⁻⁶ USD).
 */

const NANO_PER_MICRO = 1_000n
const MICRO_PER_USD = 1_000_000
const NANO_DECIMALS = 9
const MICRO_DECIMALS = 6
/** USD per million tokens is micro-dollars per token, so with six decimals it is whole pico-dollars per token. */
const PICO_PER_TOKEN_DECIMALS = 6
/** Up to this amount doubles are less than half a micro-dollar apart. */
const USD_AS_NUMBER_MAX = 4_000_000_000

const DECIMAL = /^(-?)(\d{1,15})(?:\.(\d{1,15}))?$/

/**
 * Reads a decimal amount of US dollars exactly.
 *
 * @returns nano-dollars
 * @throws RangeError when the text is not a plain decimal number (no exponent, sign `+`, spaces or separators),
 *   or has digits below the nano-dollar
 * @example parseUsd('2.50') // 2_500_000_000n
 */
export function parseUsd(text: string): bigint {
  return parseDecimal(text, NANO_DECIMALS)
}

/**
 * Reads a price in US dollars per million tokens exactly.
 *
 * @returns pico-dollars per token
 * @throws RangeError when the text is not a plain decimal number ≥ 0 with at most six decimals
 * @example parseUsdPerMtok('0.0375') // 37_500n
 */
export function parseUsdPerMtok(text: string): bigint {
  const pico = parseDecimal(text, PICO_PER_TOKEN_DECIMALS)
  if (pico < 0n) throw new RangeError(`a price is not negative: ${text}`)
  return pico
}

/**
 * Writes nano-dollars as decimal US dollars, exactly, with at least the cents.
 *
 * @example formatUsd(2_500_000_000n) // '2.50'
 * @example formatUsd(1_000n) // '0.000001'
 */
export function formatUsd(nano: bigint): string {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(NANO_DECIMALS + 1, '0')
  const cents = NANO_DECIMALS - 2
  const decimals = digits.slice(-NANO_DECIMALS)
  const dust = decimals.slice(-cents).replace(/(?<!0)0+$/, '')
  return `${nano < 0n ? '-' : ''}${digits.slice(0, -NANO_DECIMALS)}.${decimals.slice(0, -cents)}${dust}`
}

/**
 * Whole micro-dollars, rounded up (towards +∞). A charge is always a whole number of them, so this is exact for
 * charges.
 *
 * @example nanoToMicro(1_001n) // 2n
 */
export function nanoToMicro(nano: bigint): bigint {
  const micro = nano / NANO_PER_MICRO
  return nano > micro * NANO_PER_MICRO ? micro + 1n : micro
}

/** Nano-dollars of a whole number of micro-dollars. */
export function microToNano(micro: bigint): bigint {
  return micro * NANO_PER_MICRO
}

/**
 * US dollars as a JSON number: `nanoToMicro` divided once, so it prints with at most six decimals.
 *
 * @throws RangeError beyond ±4 billion dollars, where a number cannot represent every micro-dollar
 * @example nanoToUsd(123_000n) // 0.000123
 */
export function nanoToUsd(nano: bigint): number {
  const usd = Number(nanoToMicro(nano)) / MICRO_PER_USD
  if (!(Math.abs(usd) <= USD_AS_NUMBER_MAX)) throw new RangeError(`not exact as a number: ${nano} n$`)
  return usd
}

/**
 * Nano-dollars of a JSON number, rounded to the nearest micro-dollar.
 *
 * @throws RangeError when the number is not finite or beyond ±4 billion dollars
 * @example usdToNano(0.1) // 100_000_000n
 */
export function usdToNano(usd: number): bigint {
  if (!(Math.abs(usd) <= USD_AS_NUMBER_MAX)) throw new RangeError(`not an amount of money: ${usd}`)
  return parseUsd(usd.toFixed(MICRO_DECIMALS))
}

/** A plain decimal number times ten to the power of `decimals`. */
function parseDecimal(text: string, decimals: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === '') throw new RangeError(`not a decimal amount of US dollars: ${JSON.stringify(text.slice(0, 40))}`)
  if (fraction.length > decimals) throw new RangeError(`more than ${decimals} decimals: ${text}`)
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  return sign === '-' ? -units : units
}
