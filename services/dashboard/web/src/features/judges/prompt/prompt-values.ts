import type { CalibrationRow } from '@ratchet/contracts/calibrations'
import type { Criterion, UpdateCriterion } from '@ratchet/contracts/criteria'
import { textOf } from '../../../kit/conversation/message-parts.ts'

const fields = ['name', 'judge_prompt', 'judge_model', 'population', 'population_family'] as const

export type PromptValues = Readonly<Record<(typeof fields)[number], string>>

/** Only what is different, because other fields may have been changed by others meanwhile. */
export function changedFields(judge: Pick<Criterion, (typeof fields)[number]>, values: PromptValues): UpdateCriterion {
  return Object.fromEntries(fields.filter((name) => judge[name] !== values[name]).map((name) => [name, values[name]]))
}

/** The checks, when they are complete and others than the judge has. */
export function changedChecks(
  judge: Pick<Criterion, 'checks'>,
  checks: Criterion['checks'],
): Pick<UpdateCriterion, 'checks'> {
  return checks === null || JSON.stringify(checks) === JSON.stringify(judge.checks) ? {} : { checks }
}

/** A prompt with a graded answer as an example at its end. */
export function withExample(prompt: string, row: Pick<CalibrationRow, 'human' | 'messages' | 'response'>): string {
  const question = row.messages.at(-1)
  const lines = [
    `Example of an answer that ${row.human === 'fail' ? 'fails' : 'passes'}:`,
    ...(question === undefined ? [] : [`Question: ${textOf(question)}`]),
    `Answer: ${textOf(row.response)}`,
  ]
  return `${prompt.trimEnd()}\n\n${lines.join('\n')}\n`
}
