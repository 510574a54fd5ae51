import { ServiceError } from '@ratchet/service-kit/service-error'
import { asList, asObject, isAbsent } from '../../wire/responses/fields.ts'

/** Tools that the client runs. Every other kind is run by a provider, and we run none. */
const clientTools: ReadonlySet<unknown> = new Set(['function', 'custom'])
const plainChoices: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

/** @throws ServiceError `unsupported_tool` for tools that a provider would run, as in `tools.0.type` */
export function checkTools(tools: unknown): void {
  for (const [index, tool] of asList(tools).entries()) {
    const path = `tools.${index}`
    const fields = asObject(tool)
    if (fields === null) throw invalid(path, 'must be an object')
    refuseForeign(fields.type, `${path}.type`)
    if (typeof fields.name !== 'string' || fields.name === '')
      throw invalid(`${path}.name`, 'must be a non-empty string')
  }
}

/** @throws ServiceError for a choice of such a tool, or one that cannot be read */
export function checkToolChoice(choice: unknown): void {
  if (isAbsent(choice) || plainChoices.has(choice)) return
  const fields = asObject(choice)
  if (fields === null) throw invalid('tool_choice', 'must be auto, none, required or an object')
  if (fields.type !== 'allowed_tools') refuseForeign(fields.type, 'tool_choice.type')
  else if (!Array.isArray(fields.tools)) throw invalid('tool_choice.tools', 'must be an array')
  for (const [index, tool] of asList(fields.tools).entries()) {
    refuseForeign(asObject(tool)?.type, `tool_choice.tools.${index}.type`)
  }
}

function refuseForeign(type: unknown, param: string): void {
  if (clientTools.has(type)) return
  if (typeof type !== 'string') throw invalid(param, 'must be a string')
  const message = `Tools of type ${JSON.stringify(type.slice(0, 100))} are not run here; use function tools and run them yourself.`
  throw new ServiceError('unsupported_tool', message, { param })
}

function invalid(param: string, demand: string): ServiceError {
  return new ServiceError('invalid_request', `${param} ${demand}.`, { param })
}
