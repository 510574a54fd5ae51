import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'

export interface CallVariables {
  /** Those that may be stored and shown. */
  readonly open: Readonly<Record<string, string>>
  readonly secret: Readonly<Record<string, string>>
}

/**
 * The variables of a call: those that were given, and defaults of others.
 *
 * @throws ServiceError `invalid_request` for one that the agent does not declare, or that is missing
 */
export function callVariables(
  { variables }: Pick<AgentSpec, 'variables'>,
  given: Readonly<Record<string, string>>,
): CallVariables {
  const declared = new Set(variables.map(({ name }) => name))
  const unknown = Object.keys(given).find((name) => !declared.has(name))
  if (unknown !== undefined) {
    throw invalidRequest(`variables.${unknown}`, `The agent declares no variable ${unknown}.`)
  }
  const values = variables.map((variable) => {
    const value = Object.hasOwn(given, variable.name) ? given[variable.name] : variable.default
    if (value === undefined || value === null) {
      if (variable.required) throw invalidRequest(`variables.${variable.name}`, 'This variable is required.')
      return { ...variable, value: '' }
    }
    return { ...variable, value }
  })
  const entries = (isSecret: boolean) =>
    Object.fromEntries(values.filter(({ secret }) => secret === isSecret).map(({ name, value }) => [name, value]))
  return { open: entries(false), secret: entries(true) }
}

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g

/** A text with values in place of `{{name}}`. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  )
}

/** Characters of texts with the values of variables in them. Each answer sends the whole prompt; a line is said in one go. */
const maxFilled = { prompt: 100_000, line: 4_000 }

/**
 * A value may occur many times in a text, so that a small request would make a very large one.
 *
 * @throws ServiceError `invalid_request` when a text would be too long
 */
export function checkFilledTexts(
  { system_prompt: prompt, first_message, reminders }: Pick<AgentSpec, 'system_prompt' | 'first_message' | 'reminders'>,
  { firstMessage = first_message }: { readonly firstMessage?: string | null },
  { open, secret }: CallVariables,
): void {
  const values = { ...open, ...secret }
  const check = (name: string, text: string, max: number) => {
    if (filledLength(text, values) <= max) return
    throw invalidRequest('variables', `With its variables, ${name} would have more than ${max} characters.`)
  }
  check('the system prompt', prompt, maxFilled.prompt)
  check('the first message', firstMessage ?? '', maxFilled.line)
  for (const reminder of reminders) check('a reminder', reminder, maxFilled.line)
}

function filledLength(text: string, values: Readonly<Record<string, string>>): number {
  let length = text.length
  for (const [whole, name = ''] of text.matchAll(placeholder)) {
    if (Object.hasOwn(values, name)) length += (values[name] ?? '').length - whole.length
  }
  return length
}
