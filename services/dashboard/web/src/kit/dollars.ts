import { parseUsd } from '@ratchet/contracts/money'

const nanoPerCent = 10_000_000n

/** Nano-dollars of an amount that a person typed, as digits; null for anything but a positive amount of dollars. */
export function nanoOfDollars(text: string): string | null {
  try {
    const nano = parseUsd(text.trim().replace(/^\$/, '').replaceAll(',', ''))
    return nano > 0n ? nano.toString() : null
  } catch {
    return null
  }
}

/** Whole cents of an amount that a person typed; null for anything else. */
export function centsOfDollars(text: string): number | null {
  const nano = nanoOfDollars(text)
  if (nano === null || BigInt(nano) % nanoPerCent !== 0n) return null
  return Number(BigInt(nano) / nanoPerCent)
}
