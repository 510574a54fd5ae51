import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'

interface WeekInput {
  /** Exchanges or runs of the last seven days that the judge is about. */
  readonly items: number
  readonly noun: 'exchanges' | 'runs'
  /** From 0 to 100. */
  readonly percent: number
  /** US dollars of the newest verdicts. */
  readonly costsUsd: readonly number[]
}

/** What the monitor costs each week at a share of the traffic, as a sentence. */
export function weekSentence({ items, noun, percent, costsUsd }: WeekInput): string {
  const judged = Math.round((items * percent) / 100)
  const traffic = `${count(judged)} of the ${count(items)} ${noun} of the last 7 days`
  if (costsUsd.length === 0) return `At this traffic it judges ${traffic}. The cost is known after its first verdicts.`
  const mean = costsUsd.reduce((sum, usd) => sum + usd, 0) / costsUsd.length
  const cost = moneyText(microOfUsd(judged * mean))
  return `About ${cost} each week at this traffic: ${traffic}, at the mean cost of its newest verdicts.`
}
