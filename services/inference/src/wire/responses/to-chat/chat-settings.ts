import { asList, asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../../catalog/catalog.ts'
import type { Body } from '../../dialect.ts'
import { drop, type Leniency } from '../../leniency.ts'
import { outputLimitName } from '../output-limit.ts'
import { logprobsIncluded } from '../unsupported-parameter.ts'
import { unsupportedFeature } from './unsupported-feature.ts'

/** Members that have the same meaning in a chat completion. */
const sameMeaning: readonly string[] = ['temperature', 'top_p', 'service_tier', 'user']

/** Hints for OpenAI's caches and abuse checks. They change no answer, so they are not sent to other providers. */
const openAiHints: readonly string[] = [
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
]

/** Members that are translated elsewhere, handled by the gateway, or without effect on the model. */
const accounted: ReadonlySet<string> = new Set([
  ...['model', 'models', 'input', 'instructions', 'stream', 'stream_options', 'store', 'previous_response_id'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'text', 'reasoning', 'include', 'top_logprobs', 'truncation'],
  ...['max_output_tokens', 'metadata', 'background', 'generate', 'max_tool_calls'], // the last one counts only tools that a provider runs
  ...sameMeaning,
  ...openAiHints,
])

/** The parameters of a checked body, apart from its prompt and tools. */
export function chatSettings(model: CatalogModel, body: Body, leniency: Leniency | undefined): Body {
  refuseUnknown(body, { known: accounted, path: '', leniency })
  refuseTruncation(body, leniency)
  const passedOn = model.provider === 'openai' ? [...sameMeaning, ...openAiHints] : sameMeaning
  return {
    ...Object.fromEntries(passedOn.filter((name) => !isAbsent(body[name])).map((name) => [name, body[name]])),
    ...(isAbsent(body.max_output_tokens) ? {} : { [outputLimitName(model)]: body.max_output_tokens }),
    ...textSettings(asObject(body.text) ?? {}, { model, leniency }),
    ...reasoningSettings(asObject(body.reasoning) ?? {}, leniency),
    ...logprobSettings(body),
  }
}

/** A prompt that fits is the same either way; one that does not is an error of the provider's. */
function refuseTruncation({ truncation }: Body, leniency: Leniency | undefined): void {
  if (isAbsent(truncation) || truncation === 'disabled') return
  if (leniency === undefined) throw unsupportedFeature('truncation', 'Truncated prompts')
  drop(leniency, 'truncation')
}

interface Known {
  readonly known: ReadonlySet<string>
  readonly path: string
  readonly leniency: Leniency | undefined
}

function refuseUnknown(fields: Fields, { known, path, leniency }: Known): void {
  for (const name of Object.keys(fields)) {
    if (known.has(name) || isAbsent(fields[name])) continue
    if (leniency === undefined) throw unsupportedFeature(`${path}${name}`, 'Values of this parameter')
    drop(leniency, `${path}${name}`)
  }
}

/** Only OpenAI has models that can be told how much to write. */
function textSettings(
  text: Fields,
  { model, leniency }: { readonly model: CatalogModel; readonly leniency: Leniency | undefined },
): Body {
  refuseUnknown(text, { known: new Set(['format', 'verbosity']), path: 'text.', leniency })
  const format = asObject(text.format)
  const isDropped = leniency !== undefined && model.provider !== 'openai' && !isAbsent(text.verbosity)
  if (isDropped) drop(leniency, 'text.verbosity')
  return {
    ...(format === null || format.type === 'text' ? {} : { response_format: responseFormat(format) }),
    ...(isAbsent(text.verbosity) || isDropped ? {} : { verbosity: text.verbosity }),
  }
}

function responseFormat({ type, ...schema }: Fields): Fields {
  if (type === 'json_object') return { type }
  if (type === 'json_schema') return { type, json_schema: schema }
  throw unsupportedFeature('text.format.type', `Formats of type ${JSON.stringify(type)}`)
}

/** With the summary `auto` the model decides whether it writes one. */
function reasoningSettings(reasoning: Fields, leniency: Leniency | undefined): Body {
  const known = new Set(['effort', 'summary', 'generate_summary'])
  refuseUnknown(reasoning, { known, path: 'reasoning.', leniency })
  for (const name of ['summary', 'generate_summary']) {
    if (isAbsent(reasoning[name]) || reasoning[name] === 'auto') continue
    if (leniency === undefined) throw unsupportedFeature(`reasoning.${name}`, 'Summaries of reasoning')
    drop(leniency, `reasoning.${name}`)
  }
  return isAbsent(reasoning.effort) ? {} : { reasoning_effort: reasoning.effort }
}

function logprobSettings({ include, top_logprobs: top }: Body): Body {
  const wantsSome = typeof top === 'number' && top > 0
  if (!wantsSome && !asList(include).includes(logprobsIncluded)) return {}
  return { logprobs: true, ...(isAbsent(top) ? {} : { top_logprobs: top }) }
}
