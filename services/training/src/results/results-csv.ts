/** The figures of one step. */
export interface StepFigures {
  readonly step: number
  readonly values: Readonly<Record<string, number | null>>
}

/** Columns after the step, as OpenAI has them, and the names under which trainers report them. */
const columns: readonly (readonly [column: string, name: string])[] = [
  ['train_loss', 'train_loss'],
  ['train_accuracy', 'train_mean_token_accuracy'],
  ['valid_loss', 'valid_loss'],
  ['valid_mean_token_accuracy', 'valid_mean_token_accuracy'],
]

export const resultsHeader = `step,${columns.map(([column]) => column).join(',')}\n`

/** Lines of a CSV file; a figure that is not known is empty. */
export function resultLines(steps: readonly StepFigures[]): string {
  return steps
    .map(({ step, values }) => `${[step, ...columns.map(([, name]) => values[name] ?? '')].join(',')}\n`)
    .join('')
}
