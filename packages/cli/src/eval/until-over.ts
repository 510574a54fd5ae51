import { type Eval, getEval } from '@ratchet/contracts/evals'
import type { Api, Reply } from '../api/api-client.ts'
import type { ApiDeps } from '../api/api-commands.ts'
import { watchUntil } from '../api/watch-until.ts'
import { createEvalDisplay } from './progress-display.ts'

/**
 * Polls an eval until it ends. Ctrl-C ends the polling, not the eval.
 *
 * @returns the last state; null after an interruption, for which a message was printed
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
    display: createEvalDisplay(io),
    interrupted: `Interrupted. The eval continues; \`ratchet eval watch ${id}\` shows it again.`,
  })
}
