import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import { count } from '../../kit/numbers.ts'

type Line = readonly [name: string, value: string]

/** What the examples are like, in names and values. Counts of what is wrong are left out where they are zero. */
export function reportLines(report: TrainingDataReport, isExact: boolean): readonly Line[] {
  const { examples, used, validation, p50_tokens: middle, p95_tokens: long } = report
  const about = isExact ? '' : 'about '
  const wrong: readonly (readonly [string, number])[] = [
    ['Too long', report.too_long],
    ['Nothing to learn', report.empty],
    ['No examples', report.invalid],
    ['Equal to an earlier one', report.duplicates],
    ['Also in the validation', report.leaked_from_eval],
  ]
  return [
    ['Examples', count(examples)],
    ['Trained on', count(used)],
    ['To validate', validation === 0 ? 'none' : count(validation)],
    ...wrong.filter(([, number]) => number > 0).map(([name, number]): Line => [name, count(number)]),
    ['Tokens, once', `${about}${count(report.tokens)}`],
    ['Half have at most', `${about}${count(middle)} tokens`],
    ['95 % have at most', `${about}${count(long)} tokens`],
  ]
}
