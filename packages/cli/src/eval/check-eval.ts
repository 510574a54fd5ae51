import type { ApiCommands } from '../api/api-commands.ts'
import { parseEvalId } from './eval-id.ts'
import { askGate } from './gate-answer.ts'
import { addGateOptions, gateChoiceOf, nothingAsked } from './gate-options.ts'

export function checkEval({ group, run }: ApiCommands): void {
  const command = group
    .command('gate')
    .description(
      'Check whether a candidate passes its checks. Exit code 0: it does; 2: a check failed; 3: the eval is not DONE; 4: inconclusive.',
    )
    .argument('<id>', 'the eval', parseEvalId)
  addGateOptions(command, '--candidate')
  command.action((id: string, options: Readonly<Record<string, unknown>>) =>
    run(async ({ connect }) => {
      const choice = gateChoiceOf(options)
      if (choice === null) throw nothingAsked()
      return askGate(await connect(), id, choice)
    }),
  )
}
