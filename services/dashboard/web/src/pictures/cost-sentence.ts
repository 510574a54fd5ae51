import { addMoney, moneyText, shareOf } from '../kit/money.ts'

/** Amounts in micro-dollars, as texts of whole numbers. */
export interface CostFacts {
  readonly charged: string
  /** What is still held, beside what is charged. */
  readonly held: string
  readonly estimate: string
  /** Null: no maximum was set. */
  readonly maximum: string | null
}

/** The picture as a sentence. */
export function costSentence({ charged, held, estimate, maximum }: CostFacts): string {
  const reserved = held === '0' ? 'nothing is held' : `${moneyText(held)} more is held`
  const most = maximum === null ? '' : `; at most ${moneyText(maximum)}`
  return `${moneyText(charged)} charged of an estimated ${moneyText(estimate)}; ${reserved}${most}.`
}

/** A maximum that is further away would push the other amounts together. */
const maxStretch = 3n

export interface CostShares {
  /** Ends of the parts of the bar, between 0 and 1. */
  readonly charged: number
  readonly held: number
  readonly estimate: number
  /** Null: none, or too far away to be shown. */
  readonly maximum: number | null
}

/** Where the amounts lie on a bar that holds them all. */
export function costShares({ charged, held, estimate, maximum }: CostFacts): CostShares {
  const reserved = addMoney([charged, held])
  const amounts = [BigInt(reserved), BigInt(estimate), 1n]
  const most = amounts.reduce((largest, amount) => (amount > largest ? amount : largest))
  const isNear = maximum !== null && BigInt(maximum) <= most * maxStretch
  const full = (isNear && BigInt(maximum) > most ? BigInt(maximum) : most).toString()
  return {
    charged: shareOf(charged, full),
    held: shareOf(reserved, full),
    estimate: shareOf(estimate, full),
    maximum: isNear ? shareOf(maximum, full) : null,
  }
}
