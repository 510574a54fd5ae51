const unitDecimals = { micro: 6, nano: 9 } as const
const dollars = new Intl.NumberFormat('en-US')

/** How small the units of an amount are: millionths or billionths of a dollar. */
type MoneyUnit = keyof typeof unitDecimals

interface MoneyOptions {
  readonly unit?: MoneyUnit
  /** Shows every digit. Without it, amounts of a dollar and more have cents, and smaller ones two significant digits. */
  readonly exact?: boolean
}

/**
 * US dollars of a whole number of micro- or nano-dollars as text. It computes with integers only, so no digit is lost.
 *
 * @throws SyntaxError when the text is not a whole number
 * @example moneyText('1234567890') // '$1,234.57'
 * @example moneyText('2100') // '$0.0021'
 */
export function moneyText(amount: string, { unit = 'micro', exact = false }: MoneyOptions = {}): string {
  const value = BigInt(amount)
  const decimals = unitDecimals[unit]
  const shown = exact ? exactDecimals(value, decimals) : shortDecimals(value, decimals)
  const rounded = roundTo(value < 0n ? -value : value, decimals - shown)
  const digits = rounded.toString().padStart(shown + 1, '0')
  const whole = dollars.format(BigInt(digits.slice(0, digits.length - shown)))
  const sign = value < 0n && rounded > 0n ? '−' : ''
  return `${sign}$${whole}.${digits.slice(digits.length - shown)}`
}

/** Nano-dollars with every digit, as a bill says what was charged. */
export function billText(nano: string): string {
  return moneyText(nano, { unit: 'nano', exact: true })
}

/** The sum of amounts in the same unit. */
export function addMoney(amounts: readonly string[]): string {
  return amounts.reduce((sum, amount) => sum + BigInt(amount), 0n).toString()
}

/**
 * A JSON number of US dollars, as the API sends it, as whole micro-dollars: the seventh decimal and those after it are rounded
 * away. The text of the number is read, so nothing is computed with it.
 */
export function microOfUsd(usd: number): string {
  return wholeOf(usd, unitDecimals.micro)
}

/** The same as whole nano-dollars, in which the ledger counts, for bills that show every digit. */
export function nanoOfUsd(usd: number): string {
  return wholeOf(usd, unitDecimals.nano)
}

function wholeOf(usd: number, decimals: number): string {
  return BigInt(usd.toFixed(decimals).replace('.', '')).toString()
}

/** A share of a total between 0 and 1, for the lengths of bars. */
export function shareOf(part: string, total: string): number {
  const whole = BigInt(total)
  return whole === 0n ? 0 : Number((BigInt(part) * 1_000_000n) / whole) / 1_000_000
}

const cents = 2

function exactDecimals(value: bigint, decimals: number): number {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return Math.max(cents, fraction.length)
}

/** Cents for a dollar and more; below, as many as two significant digits need. */
function shortDecimals(value: bigint, decimals: number): number {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  if (digits.length > decimals + 1 || digits[0] !== '0') return cents
  const leading = /^0*/.exec(digits.slice(-decimals))?.[0].length ?? 0
  if (leading === decimals) return cents
  const significant = digits
    .slice(-decimals)
    .slice(leading, leading + 2)
    .replace(/0$/, '').length
  return Math.max(cents, Math.min(decimals, leading + significant))
}

function roundTo(value: bigint, dropped: number): bigint {
  if (dropped <= 0) return value
  const size = 10n ** BigInt(dropped)
  return (value + size / 2n) / size
}
