import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { editMember, editTopLevel, type JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { asObject } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../catalog/catalog.ts'
import { withJsonDemand } from '../providers/json-demand.ts'
import { meaningfulParameters } from '../providers/meaningful-parameters.ts'
import type { Surface } from '../surfaces/surface.ts'
import type { Body } from '../wire/dialect.ts'
import { exactEdits } from '../wire/json/exact-json.ts'
import { drop, type Leniency } from '../wire/leniency.ts'
import { type ParsedBody, parseBody } from './parse-body.ts'

interface Fitting {
  readonly surface: Surface
  readonly model: CatalogModel
  readonly leniency: Leniency | undefined
}

/**
 * The body without the parameters that the catalog marks as unsupported by the model, and with a limit that the model
 * has, as far as the leniency allows that. The same body when there is nothing to change.
 *
 * @throws ServiceError `unsupported_parameter` naming the parameter that cannot be left out
 */
export function fitToModel(parsed: ParsedBody, { surface, model, leniency }: Fitting): ParsedBody {
  const paths: string[] = []
  let { body } = parsed
  for (;;) {
    const path = surface.unsupportedParameter(model, body)
    if (path === null) break
    if (leniency === undefined) throw unsupported(model, path)
    const demanded = path === 'response_format' ? withJsonDemand(body) : body
    if (demanded === body && !mayDrop(path, body, leniency)) throw unsupported(model, path)
    if (demanded === body) drop(leniency, path)
    paths.push(path)
    body = withoutPath(demanded, path)
  }
  const said = body.messages === parsed.body.messages ? {} : exactEdits(parsed, demandEdits)
  return withEdits(parsed, { ...editsOf(parsed, paths), ...said, ...limitEdits(body, { surface, model, leniency }) })
}

function demandEdits(body: Body): JsonEdits {
  return { messages: JSON.stringify(withJsonDemand(body).messages) }
}

const outputLimits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/**
 * Agents ask every model for as many tokens as their own model can write, which providers refuse. Claude is asked as the
 * client asks: its betas allow more than the catalog has.
 */
function limitEdits(body: Body, { surface, model, leniency }: Fitting): JsonEdits {
  if (leniency === undefined || model.maxOutputTokens === 0) return {}
  if (surface.dialect === 'messages' && model.provider === 'anthropic') return {}
  const names = outputLimits.filter((name) => Number(body[name] ?? 0) > model.maxOutputTokens)
  for (const name of names) drop(leniency, `${name}:${body[name]}`)
  return Object.fromEntries(names.map((name) => [name, String(model.maxOutputTokens)]))
}

/** The same body when there are no edits. */
export function withEdits(parsed: ParsedBody, edits: JsonEdits): ParsedBody {
  return Object.keys(edits).length === 0 ? parsed : parseBody(editTopLevel(parsed.bytes, parsed.scan, edits))
}

function unsupported({ id }: CatalogModel, param: string): ServiceError {
  return new ServiceError('unsupported_parameter', `${id} does not support ${param}.`, { param })
}

/**
 * Parameters that change an answer, in addition to those that no adapter drops: most models honour them. Those that say
 * how its words are drawn (`temperature`, `top_p`, `top_k`) are not among them: agents send them to every model, and the
 * models that have none draw as they always do.
 */
const kept: ReadonlySet<string> = new Set([
  'dimensions',
  'include',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'output_config.effort',
  'output_config.format',
  'reasoning.effort',
  'reasoning_effort',
  'response_format',
  'stop',
  'stop_sequences',
  'text.format',
  'thinking',
  'tool_choice',
  'tools',
])

/** Another service tier is dropped when it costs more than the usual one. */
function mayDrop(path: string, body: Body, { dropsParameters }: Leniency): boolean {
  if (path === 'service_tier') return dropsParameters || body.service_tier !== 'flex'
  return dropsParameters || !(kept.has(path) || meaningfulParameters.has(path))
}

/** @throws Error when the body does not have the path: `fitToModel` would never end */
function withoutPath(body: Body, path: string): Body {
  const [name = '', member] = path.split('.')
  const { [name]: value, ...rest } = body
  const inside = asObject(value) ?? {}
  const isThere = member === undefined ? Object.hasOwn(body, name) : Object.hasOwn(inside, member)
  if (!isThere) throw new Error(`the body does not have the unsupported parameter ${path}`)
  if (member === undefined) return rest
  const { [member]: _dropped, ...others } = inside
  return { ...rest, [name]: others }
}

function editsOf({ bytes, scan }: ParsedBody, paths: readonly string[]): JsonEdits {
  const byName = Map.groupBy(paths, (path) => path.split('.')[0] ?? '')
  return Object.fromEntries(
    [...byName].map(([name, group]) => {
      const members = group.map((path) => path.split('.')[1])
      if (members.includes(undefined)) return [name, undefined]
      const edits = Object.fromEntries(members.map((member) => [member ?? '', undefined]))
      return [name, editMember(bytes, scan, name, edits)]
    }),
  )
}
