import { getEval } from '@ratchet/contracts/evals'
import type { ApiCommands } from '../api/api-commands.ts'
import { parseEvalId } from './eval-id.ts'
import { finalAnswer } from './final-answer.ts'
import { addGateOptions, assertGateFits, gateChoiceOf } from './gate-options.ts'

export function watchEval({ group, run }: ApiCommands): void {
  const command = group
    .command('watch')
    .description(
      'Show the progress of an eval until it ends, then its report. Exit code 1 for FAILED or CANCELLED; with checks, that of `gate`.',
    )
    .argument('<id>', 'the eval', parseEvalId)
  addGateOptions(command, '--candidate')
  command.action((id: string, options: Readonly<Record<string, unknown>>) =>
    run(async (deps) => {
      const choice = gateChoiceOf(options)
      const api = await deps.connect()
      const first = await api.call(getEval, { params: { id } })
      if (choice !== null) assertGateFits(choice, first.value.candidate_models, '--candidate')
      return finalAnswer(deps, api, { first, choice })
    }),
  )
}
