import { type CandidateCalibration, calibrateEval } from '@ratchet/contracts/eval-preferences'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { inShare } from '../text/in-words.ts'
import { parseEvalId } from './eval-id.ts'

/** `ratchet eval agreement`: how often the judge of an eval says what people prefer. */
export function showAgreement({ group, run }: ApiCommands): void {
  group
    .command('agreement')
    .description('Show how often the judge of an eval agrees with people, and the win rate corrected by them.')
    .argument('<id>', 'the eval', parseEvalId)
    .action((id: string) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(calibrateEval, { params: { id } })
        const rows = Object.entries(value.candidates).map(([model, found]) => [model, ...cellsOf(found)])
        const head = ['CANDIDATE', 'COMPARED', 'AGREES', 'WIN RATE', 'BY PEOPLE', 'MISSING']
        return { json, text: formatTable([head, ...rows]) }
      }),
    )
}

function cellsOf(found: CandidateCalibration): readonly string[] {
  const { win, tie, loss } = found.grades_needed
  const missing = [`${win} wins`, `${tie} ties`, `${loss} losses`].filter((each) => !each.startsWith('0 '))
  return [
    String(found.graded),
    withInterval(found.accuracy, found.accuracy_ci),
    withInterval(found.win_rate, found.win_rate_ci),
    withInterval(found.corrected_win_rate, found.corrected_win_rate_ci),
    missing.length === 0 ? '-' : missing.join(', '),
  ]
}

function withInterval(rate: number | null, interval: readonly [number, number] | null): string {
  return interval === null ? inShare(rate) : `${inShare(rate)} (${inShare(interval[0])} to ${inShare(interval[1])})`
}
