import type { Eval } from '@ratchet/contracts/evals'
import type { Answer } from '../answer.ts'
import type { Api, Reply } from '../api/api-client.ts'
import type { ApiDeps } from '../api/api-commands.ts'
import { askGate } from './gate-answer.ts'
import type { GateChoice } from './gate-options.ts'
import { reportText } from './report-text.ts'
import { untilOver } from './until-over.ts'

/**
 * Watches an eval to its end, and asks its gate when there are checks: then the exit code is the gate's.
 *
 * @returns its report; null when it was interrupted
 */
export async function finalAnswer(
  deps: Pick<ApiDeps, 'io'>,
  api: Api,
  { first, choice }: { readonly first: Reply<Eval>; readonly choice: GateChoice | null },
): Promise<Answer | null> {
  const last = await untilOver(deps, api, first)
  if (last === null) return null
  const text = reportText(last.value)
  if (choice === null) return { json: last.json, text, ...(last.value.status === 'DONE' ? {} : { exitCode: 1 }) }
  const gate = await askGate(api, last.value.id, choice)
  return { ...gate, json: { ...last.json, gate: gate.json }, text: `${text}\n\n${gate.text}` }
}
