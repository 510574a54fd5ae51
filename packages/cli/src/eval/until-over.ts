import { type Eval, getEval } from '@ratchet/contracts/evals'
import type { Api, Reply } from '../api/api-client.ts'
import type { ApiDeps } from '../api/api-commands.ts'
import { watchUntil } from '../api/watch-until.ts'
import { createProgressDisplay } from './progress-display.ts'

/**
 * Watches an eval until it is over. Ctrl-C ends the watching, not the eval.
 *
 * @returns what it was in the end; null when it was interrupted, which has been said
 */
export async function untilOver(
  { io }: Pick<ApiDeps, 'io'>,
  api: Api,
  first: Reply<Eval>,
): Promise<Reply<Eval> | null> {
  const { id } = first.value
  return watchUntil<Eval>(io, {
    first,
    read: (options) => api.call(getEval, { params: { id } }, options),
    isOver: ({ status }) => status === 'DONE' || status === 'FAILED' || status === 'CANCELLED',
    display: createProgressDisplay(io),
    interrupted: `Interrupted. The eval goes on; \`ratchet eval watch ${id}\` shows it again.`,
  })
}
