import { isDeepStrictEqual } from 'node:util'
import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { Body } from '../wire/dialect.ts'
import { drop, type Leniency } from '../wire/leniency.ts'
import type { MemberRule, MemberRules } from './check-members.ts'
import { calledFunctionRules, functionRules, responseFormatRules } from './common-members.ts'
import { withJsonDemand } from './json-demand.ts'
import { meaningfulParameters } from './meaningful-parameters.ts'

/** How an adapter handles the members of each object of a chat completion request. */
export interface ChatRules {
  readonly body: MemberRules
  /** By role. */
  readonly messages: (role: unknown) => MemberRules | undefined
  /** By type. */
  readonly parts: (type: unknown) => MemberRules | undefined
  readonly toolCall: MemberRules
  readonly tool: MemberRules
  readonly jsonSchema: MemberRules
  /** True when the provider can be told to answer with any JSON object. */
  readonly hasJsonObjects: boolean
  /** The details of images that the provider can read. */
  readonly imageDetails: readonly string[]
  /** True when the provider reads all images of a request in one detail. */
  readonly hasOneDetail?: true
  readonly maxTemperature: number
}

/**
 * The request without the members that a provider has nothing like, as far as the leniency allows that, and with
 * settings that the provider has in another form. Everything else is left for the adapter to convert or refuse. The
 * same object when there is nothing to change.
 */
export function fitChatBody(body: Body, rules: ChatRules, leniency: Leniency | undefined): Body {
  if (leniency === undefined) return body
  const kept = fitMembers(body, { rules: rules.body, at: '', leniency, mayDrop: mayDropParameter(leniency) })
  const fitting = { rules, leniency, dropsDetails: rules.hasOneDetail === true && hasSeveralDetails(kept.messages) }
  const fit: Body = {
    ...kept,
    ...mapped(kept, 'messages', (message) => fitMessage(message, fitting)),
    ...mapped(kept, 'tools', (tool) => fitTool(tool, rules, leniency)),
    ...fitFormat(kept.response_format, rules, leniency),
    ...fitTemperature(kept.temperature, rules, leniency),
  }
  const chosen = withAllowedTools(withKnownChoice(withQuestion(fit)))
  return rules.hasJsonObjects ? chosen : withJsonDemand(chosen)
}

interface Place {
  readonly rules: MemberRules | undefined
  /** What the names of members are listed under, such as `tools.`. */
  readonly at: string
  readonly leniency: Leniency
  readonly mayDrop?: (name: string, rule: MemberRule | undefined, value: unknown) => boolean
}

/** Members without a rule are dropped, except where `mayDrop` decides. */
function fitMembers<T extends Fields>(object: T, { rules, at, leniency, mayDrop = isUnknown }: Place): T {
  if (rules === undefined) return object
  const surplus = Object.entries(object).filter(
    ([name, value]) => value !== null && value !== undefined && mayDrop(name, rules.get(name), value),
  )
  if (surplus.length === 0) return object
  for (const [name] of surplus) drop(leniency, at + name)
  const names = new Set(surplus.map(([name]) => name))
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name))) as T
}

function isUnknown(_name: string, rule: MemberRule | undefined): boolean {
  return rule === undefined
}

/** Harmless parameters are left out as well, so that the client learns that they had no effect. */
function mayDropParameter({ dropsParameters }: Leniency): NonNullable<Place['mayDrop']> {
  return (name, rule, value) => {
    if (rule === undefined) return dropsParameters || !meaningfulParameters.has(name)
    if (rule === 'honoured') return false
    if (rule === 'harmless') return !ownParameters.has(name)
    if (rule.only.some((known) => isDeepStrictEqual(known, value))) return false
    return dropsParameters || isLabel(rule, value)
  }
}

/** Parameters that the gateway itself acts on. */
const ownParameters: ReadonlySet<string> = new Set(['models', 'stream_options'])

function isLabel({ labels = [] }: Exclude<MemberRule, string>, value: unknown): boolean {
  return labels === 'any' || labels.some((label) => isDeepStrictEqual(label, value))
}

/** The member as an edit when mapping its elements changed any of them. */
function mapped(body: Body, name: string, change: (element: unknown) => unknown): Body {
  const list = body[name]
  if (!Array.isArray(list)) return {}
  const changed = list.map(change)
  return changed.every((element, index) => element === list[index]) ? {} : { [name]: changed }
}

interface Fitting {
  readonly rules: ChatRules
  readonly leniency: Leniency
  /** True when the images of the request have details that the provider cannot tell apart. */
  readonly dropsDetails: boolean
}

function fitMessage(value: unknown, fitting: Fitting): unknown {
  const message = asObject(value)
  if (message === null) return value
  const { rules, leniency } = fitting
  const kept = fitMembers(withoutThoughts(message, leniency), { rules: rules.messages(message.role), at: '', leniency })
  const parts = mapped(kept, 'content', (part) => fitPart(part, fitting))
  const calls = mapped(kept, 'tool_calls', (call) => fitCall(call, rules, leniency))
  return changedBy(kept, { ...parts, ...calls })
}

/** Mistral writes its thinking as a part of the answer, which no other provider takes back. */
function withoutThoughts(message: Fields, leniency: Leniency): Fields {
  const { role, content } = message
  if (role !== 'assistant' || !Array.isArray(content)) return message
  const said = content.filter((part) => asObject(part)?.type !== 'thinking')
  if (said.length === content.length) return message
  drop(leniency, 'content.thinking')
  return { ...message, content: said.length === 0 ? '' : said }
}

function fitPart(value: unknown, fitting: Fitting): unknown {
  const part = asObject(value)
  if (part === null) return value
  const { rules, leniency } = fitting
  const kept = fitMembers(part, { rules: rules.parts(part.type), at: 'content.', leniency })
  return withUsualCache(withKnownDetail(kept, fitting), leniency)
}

/** How closely an image is read changes what it costs at its own provider only; another one reads it as it does. */
function withKnownDetail(part: Fields, { rules, leniency, dropsDetails }: Fitting): Fields {
  const { detail, ...image } = asObject(part.image_url) ?? {}
  if (typeof detail !== 'string' || (rules.imageDetails.includes(detail) && !dropsDetails)) return part
  drop(leniency, `image_url.detail:${detail}`)
  return { ...part, image_url: image }
}

function hasSeveralDetails(messages: unknown): boolean {
  const parts = asList(messages).flatMap((message) => asList(asObject(message)?.content))
  const images = parts.map((part) => asObject(asObject(part)?.image_url)).filter((image) => image !== null)
  return new Set(images.map(({ detail }) => detail ?? 'auto')).size > 1
}

/** A temperature above all that the provider has becomes the highest one. */
function fitTemperature(value: unknown, { maxTemperature }: ChatRules, leniency: Leniency): Body {
  if (typeof value !== 'number' || value <= maxTemperature) return {}
  drop(leniency, `temperature:${value}`)
  return { temperature: maxTemperature }
}

/** Chat completions have caches of five minutes only: their hold does not cover the price of longer ones. */
function withUsualCache(object: Fields, leniency: Leniency): Fields {
  const { ttl, ...control } = asObject(object.cache_control) ?? {}
  if ((ttl ?? '5m') === '5m') return object
  drop(leniency, 'cache_control.ttl')
  return { ...object, cache_control: control }
}

function fitCall(value: unknown, rules: ChatRules, leniency: Leniency): unknown {
  const call = asObject(value)
  if (call === null) return value
  const kept = fitMembers(call, { rules: rules.toolCall, at: 'tool_calls.', leniency })
  return inside(kept, 'function', { rules: calledFunctionRules, at: 'tool_calls.function.', leniency })
}

function fitTool(value: unknown, rules: ChatRules, leniency: Leniency): unknown {
  const tool = asObject(value)
  if (tool === null) return value
  const kept = withUsualCache(fitMembers(tool, { rules: rules.tool, at: 'tools.', leniency }), leniency)
  return inside(kept, 'function', { rules: functionRules, at: 'tools.function.', leniency })
}

function fitFormat(value: unknown, rules: ChatRules, leniency: Leniency): Body {
  const format = asObject(value)
  if (format === null) return {}
  const kept = fitMembers(format, { rules: responseFormatRules, at: 'response_format.', leniency })
  const at = 'response_format.json_schema.'
  const fit = inside(kept, 'json_schema', { rules: rules.jsonSchema, at, leniency })
  return fit === format ? {} : { response_format: fit }
}

function inside(object: Fields, name: string, place: Place): Fields {
  const member = asObject(object[name])
  const kept = member === null ? null : fitMembers(member, place)
  return kept === member ? object : { ...object, [name]: kept }
}

function changedBy(object: Fields, changes: Fields): Fields {
  return Object.keys(changes).length === 0 ? object : { ...object, ...changes }
}

/** Only OpenAI answers a conversation that has nothing but instructions. Elsewhere the last of them is what is asked. */
function withQuestion(body: Body): Body {
  const { messages } = body
  const roles = asList(messages).map((message) => asObject(message)?.role)
  if (
    !Array.isArray(messages) ||
    roles.length === 0 ||
    !roles.every((role) => role === 'system' || role === 'developer')
  )
    return body
  return { ...body, messages: [...messages.slice(0, -1), { ...asObject(messages.at(-1)), role: 'user' }] }
}

/** Mistral says `any` for what others call `required`. */
function withKnownChoice(body: Body): Body {
  return body.tool_choice === 'any' ? { ...body, tool_choice: 'required' } : body
}

/** A choice among some of the tools is the same choice among all tools that are left when the others are taken away. */
function withAllowedTools(body: Body): Body {
  const choice = asObject(body.tool_choice)
  if (choice?.type !== 'allowed_tools') return body
  const { mode, tools } = asObject(choice.allowed_tools) ?? choice
  const allowed = new Set(asList(tools).map(nameOf))
  const offered = asList(body.tools).filter((tool) => allowed.has(nameOf(tool)))
  return { ...body, tools: offered, tool_choice: offered.length === 0 ? 'none' : (mode ?? 'auto') }
}

function nameOf(tool: unknown): unknown {
  const fields = asObject(tool)
  return asObject(fields?.function)?.name ?? fields?.name
}
