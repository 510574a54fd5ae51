import { addMoney, shareOf } from '../kit/money.ts'

/** One bar: amounts by series, as whole numbers in text, so that money is never added as a number. */
export interface StackBar {
  readonly label: string
  readonly amounts: Readonly<Record<string, string>>
}

interface StackPart {
  readonly series: string
  readonly amount: string
  /** Where it begins and how long it is, as shares of the longest bar. */
  readonly from: number
  readonly share: number
}

export interface Stack {
  readonly label: string
  readonly total: string
  readonly parts: readonly StackPart[]
}

/** The parts of all bars, in the order of the series; bars are compared with the largest. */
export function stacksOf(bars: readonly StackBar[], series: readonly string[]): readonly Stack[] {
  const totals = bars.map(({ amounts }) => addMoney(series.map((name) => amounts[name] ?? '0')))
  const largest = totals.reduce((max, total) => (BigInt(total) > BigInt(max) ? total : max), '0')
  return bars.map(({ label, amounts }, index) => {
    let before = '0'
    const parts = series.map((name): StackPart => {
      const amount = amounts[name] ?? '0'
      const from = shareOf(before, largest)
      before = addMoney([before, amount])
      return { series: name, amount, from, share: shareOf(before, largest) - from }
    })
    return { label, total: totals[index] ?? '0', parts: parts.filter(({ amount }) => amount !== '0') }
  })
}

/** Pixels of the longest label, which may begin or end at its bar, and the half of another one. */
const labelRoom = 110

/** The labels of bars that fit below a picture without touching each other. */
export function axisLabels(labels: readonly string[], width: number): readonly string[] {
  const every = Math.max(1, Math.ceil((labelRoom * labels.length) / width))
  return labels.filter((_, index) => index % every === 0)
}
