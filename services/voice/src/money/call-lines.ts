import type { CallUsage } from '../calls/call-money.ts'
import type { CallRates, TimeRate } from './price-book.ts'

/** What a call cost until now, nano-dollars, without its language model. */
export interface CallLines {
  readonly telephonyNano: bigint
  readonly recognitionNano: bigint
  readonly synthesisNano: bigint
  readonly platformNano: bigint
}

/** The costs of all of a call's use. Each is rounded once, over the whole call, so it does not matter how often it is asked. */
export function linesOf({ answeredMs, recognizedMs, spokenCharacters }: CallUsage, rates: CallRates): CallLines {
  return {
    telephonyNano: costOfTime(answeredMs, rates.telephony),
    recognitionNano: costOfTime(recognizedMs, rates.recognition),
    synthesisNano: BigInt(spokenCharacters) * BigInt(rates.synthesisNanoPerCharacter),
    platformNano: costOfTime(answeredMs, rates.platform),
  }
}

export function totalOf({ telephonyNano, recognitionNano, synthesisNano, platformNano }: CallLines): bigint {
  return telephonyNano + recognitionNano + synthesisNano + platformNano
}

export function totalCost(usage: CallUsage, rates: CallRates): bigint {
  return totalOf(linesOf(usage, rates))
}

/** Nothing for no time at all; else at least the minimum. */
function costOfTime(ms: number, { nanoPerMinute, incrementMs, minimumMs }: TimeRate): bigint {
  const wholeMs = Math.ceil(ms)
  if (wholeMs <= 0) return 0n
  const billedMs = Math.ceil(Math.max(wholeMs, minimumMs) / incrementMs) * incrementMs
  return (BigInt(nanoPerMinute) * BigInt(billedMs) + 59_999n) / 60_000n
}

/** Milliseconds of a slice. */
export const sliceMs = 60_000
/** Most characters that are spoken in a minute: twenty a second. */
const charactersOfSlice = 1_200

/** The most that a slice costs; what goes beyond is part of the next one. */
export function worstSlice(rates: CallRates): bigint {
  const { recognition, platform, telephony } = rates
  const slice = { answeredMs: sliceMs, recognizedMs: sliceMs, spokenCharacters: charactersOfSlice }
  // A minimum, and an increment that ends in the slice, can make one slice longer.
  const [heard, ...held] = [recognition, platform, telephony].map((rate) => rate.minimumMs + rate.incrementMs) as [
    number,
    number,
    number,
  ]
  return totalCost({ ...slice, recognizedMs: sliceMs + heard, answeredMs: sliceMs + Math.max(...held) }, rates)
}

/**
 * The lines of what was charged. Less than the costs is charged when the wallet did not cover a correction; then the lines are
 * lowered from the last one on, so that they add up.
 */
export function chargedLines(lines: CallLines, chargedNano: bigint): CallLines {
  let missing = totalOf(lines) - chargedNano
  const lower = (nano: bigint) => {
    const taken = larger(smaller(nano, missing), 0n)
    missing -= taken
    return nano - taken
  }
  const platformNano = lower(lines.platformNano)
  const synthesisNano = lower(lines.synthesisNano)
  const recognitionNano = lower(lines.recognitionNano)
  return { platformNano, synthesisNano, recognitionNano, telephonyNano: lower(lines.telephonyNano) }
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function larger(a: bigint, b: bigint): bigint {
  return a < b ? b : a
}
