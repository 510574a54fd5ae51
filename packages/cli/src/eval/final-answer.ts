import type { Eval } from '@ratchet/contracts/evals'
import type { Answer } from '../answer.ts'
import type { Api, Reply } from '../api/api-client.ts'
import type { ApiDeps } from '../api/api-commands.ts'
import { askGate } from './gate-answer.ts'
import type { GateChoice } from './gate-options.ts'
import { reportText } from './report-text.ts'
import { untilOver } from './until-over.ts'

/**
 * Waits for the end of an eval. With checks it then calls the gate, whose exit code it returns.
 *
 * @returns the report; null after an interruption
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
