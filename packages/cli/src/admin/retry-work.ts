import { retryJudgements } from '@ratchet/db/background-work'
import type { AdminCommands } from './admin-commands.ts'

export function retryWork({ admin, run }: AdminCommands): void {
  admin
    .command('retry')
    .description(
      'Have judgements of monitored traffic that were given up tried again. Calibrations, scans and evals are run again instead.',
    )
    .action(() =>
      run(async ({ pool }) => {
        const count = await retryJudgements(pool)
        return { json: { judgements: count }, text: `${count} judgements are tried again` }
      }),
    )
}
