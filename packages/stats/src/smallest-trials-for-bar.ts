import { clopperPearsonInterval } from './clopper-pearson-interval.ts'
import { CERTIFYING_E_VALUE, eValueAboveBar } from './e-value-above-bar.ts'
import { TRUST_BAR } from './grades-needed.ts'
import { requireCount, requireInnerRate } from './require-arguments.ts'
import { firstWholeNumber } from './special/first-whole-number.ts'
import { wilsonInterval } from './wilson-interval.ts'

const RULES = {
  wilson: (successes: number, trials: number, bar: number) => (wilsonInterval(successes, trials)?.low ?? 0) >= bar,
  'clopper-pearson': (successes: number, trials: number, bar: number) =>
    (clopperPearsonInterval(successes, trials)?.low ?? 0) >= bar,
  'e-value': (successes: number, trials: number, bar: number) =>
    eValueAboveBar(successes, trials, bar) >= CERTIFYING_E_VALUE,
}

/**
 * The smallest number of trials that proves the bar at 95 % with the given number of errors.
 *
 * @param errors count
 * @param options.rule the lower bound of Wilson (default) or of Clopper–Pearson, or an e-value of 40
 * @param options.bar between 0 and 1; 0.9 when absent
 * @throws RangeError when an argument is out of range
 * @example smallestTrialsForBar(0) // 35
 */
export function smallestTrialsForBar(
  errors: number,
  { rule = 'wilson', bar = TRUST_BAR }: { readonly rule?: keyof typeof RULES; readonly bar?: number } = {},
): number {
  requireCount('errors', errors)
  requireInnerRate('bar', bar)
  const proves = (trials: number) => RULES[rule](trials - errors, trials, bar)
  let enough = errors + 1
  while (!proves(enough)) enough *= 2
  return firstWholeNumber({ above: errors, to: enough }, proves)
}
