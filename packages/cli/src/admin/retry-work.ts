import { retryJudgements } from '@ratchet/db/background-work'
import type { AdminCommands } from './admin-commands.ts'

export function retryWork({ admin, run }: AdminCommands): void {
  admin
    .command('retry')
    .description(
      'Retry dead-lettered judgements of monitored traffic. Calibrations, scans and evals are started again instead.',
    )
    .action(() =>
      run(async ({ pool }) => {
        const count = await retryJudgements(pool)
        return { json: { judgements: count }, text: `${count} judgements will be retried` }
      }),
    )
}
