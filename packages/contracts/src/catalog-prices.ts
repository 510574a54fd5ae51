import { z } from 'zod'
import { parseUsd, parseUsdPerMtok } from './money.ts'

/**
 * Maximum price in USD per million tokens. It keeps the cost of a request far below the maximum of a Postgres `bigint`
 * of nano-dollars.
 */
const PRICE_MAX_PER_MTOK = 10_000
const REQUEST_PRICE_MAX_USD = 100

/** US dollars per million tokens, as a decimal string so that no digit is lost. */
export const pricePerMtok = priceText({ parse: parseUsdPerMtok, decimals: 6, maxUsd: PRICE_MAX_PER_MTOK })
/** US dollars, as a decimal string. */
export const priceUsd = priceText({ parse: parseUsd, decimals: 9, maxUsd: REQUEST_PRICE_MAX_USD })
/** Price relative to the usual one. */
export const factor = priceText({ parse: parseUsd, decimals: 3, maxUsd: 100 })

interface PriceRules {
  readonly parse: (text: string) => bigint
  readonly decimals: number
  readonly maxUsd: number
}

function priceText({ parse, decimals, maxUsd }: PriceRules) {
  const isPrice = (text: string) => {
    try {
      return parse(text) >= 0n && Number(text) <= maxUsd && decimalsOf(text) <= decimals
    } catch {
      return false
    }
  }
  const requirement = `must be a decimal string from "0" to "${maxUsd}" with at most ${decimals} decimals`
  // `abort` stops the checks here, so that the comparison of prices gets only readable ones.
  return z.string(requirement).refine(isPrice, { error: requirement, abort: true })
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0
}
