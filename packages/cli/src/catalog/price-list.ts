import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { sendRequest } from '../send-request.ts'

/** The prices of a catalog entry that a list can say, US dollars per million tokens. */
export const priceFields = [
  'input_per_mtok',
  'output_per_mtok',
  'cached_input_per_mtok',
  'cache_write_per_mtok',
  'cache_write_1h_per_mtok',
] as const
export type PriceField = (typeof priceFields)[number]

export interface ListedModel {
  /** As the list names it. */
  readonly name: string
  /** As the list names its provider. */
  readonly provider: string
  /** Decimal text, without zeros at its end; absent what the list does not say. */
  readonly prices: Readonly<Partial<Record<PriceField, string>>>
  readonly contextWindow: number | null
  readonly maxOutputTokens: number | null
  /** In the words of the catalog. */
  readonly capabilities: readonly string[]
}

const perToken = z.number().min(0).max(1).nullish()
const flag = z.boolean().nullish()
const size = z.union([z.number(), z.string()]).nullish()

/** Only fields that are read; a list has many more. */
const ListEntry = z.object({
  litellm_provider: z.string().min(1),
  mode: z.string().nullish(),
  input_cost_per_token: perToken,
  output_cost_per_token: perToken,
  cache_read_input_token_cost: perToken,
  cache_creation_input_token_cost: perToken,
  cache_creation_input_token_cost_above_1hr: perToken,
  max_input_tokens: size,
  max_tokens: size,
  max_output_tokens: size,
  supports_function_calling: flag,
  supports_response_schema: flag,
  supports_vision: flag,
  supports_reasoning: flag,
})
type ListEntry = z.output<typeof ListEntry>

const timeoutMs = 30_000

/**
 * Chat models of a price list in the form of LiteLLM's `model_prices_and_context_window.json`: an object from names of models to
 * their prices per token.
 *
 * @param place a file, or an https URL
 * @throws CliError when it cannot be read
 */
export async function readPriceList(place: string): Promise<readonly ListedModel[]> {
  const list = z.record(z.string(), z.unknown()).safeParse(parse(place, await textAt(place)))
  if (!list.success) throw new CliError(`${place} is no object of models`)
  const models = Object.entries(list.data).flatMap(([name, value]) => {
    const entry = ListEntry.safeParse(value)
    return entry.success && entry.data.mode === 'chat' ? [listed(name, entry.data)] : []
  })
  if (models.length > 0) return models
  throw new CliError(`${place} has no chat model with \`litellm_provider\`, \`mode\` and prices per token`)
}

async function textAt(place: string): Promise<string> {
  try {
    if (!place.startsWith('https://')) return await readFile(place, 'utf8')
    const { status, isOk, text } = await sendRequest(place, { timeoutMs })
    if (isOk) return text
    throw new Error(`status ${status}`)
  } catch (cause) {
    throw new CliError(`${place} cannot be read: ${(cause as Error).message}`, { exitCode: 2, cause })
  }
}

function parse(place: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CliError(`${place} is not JSON`, { cause })
  }
}

function listed(name: string, entry: ListEntry): ListedModel {
  const prices: readonly [PriceField, number | null | undefined][] = [
    ['input_per_mtok', entry.input_cost_per_token],
    ['output_per_mtok', entry.output_cost_per_token],
    ['cached_input_per_mtok', entry.cache_read_input_token_cost],
    ['cache_write_per_mtok', entry.cache_creation_input_token_cost],
    ['cache_write_1h_per_mtok', entry.cache_creation_input_token_cost_above_1hr],
  ]
  const capabilities: readonly [string, boolean | null | undefined][] = [
    ['tools', entry.supports_function_calling],
    ['json_schema', entry.supports_response_schema],
    ['vision', entry.supports_vision],
    ['reasoning', entry.supports_reasoning],
  ]
  return {
    name,
    provider: entry.litellm_provider,
    prices: Object.fromEntries(prices.flatMap(([field, usd]) => (usd == null ? [] : [[field, perMillion(usd)]]))),
    contextWindow: tokensOf(entry.max_input_tokens ?? entry.max_tokens),
    maxOutputTokens: tokensOf(entry.max_output_tokens ?? entry.max_tokens),
    capabilities: ['chat', 'streaming', ...capabilities.flatMap(([word, has]) => (has === true ? [word] : []))],
  }
}

function tokensOf(value: number | string | null | undefined): number | null {
  const count = Number(value ?? Number.NaN)
  return Number.isSafeInteger(count) && count > 0 ? count : null
}

/** Digits of a price behind the point. A price per token is a double; the last digits of its product are noise. */
const digits = 6

function perMillion(usdPerToken: number): string {
  return plain((usdPerToken * 1_000_000).toFixed(digits))
}

/** A price without zeros at its end, so that equal prices are equal texts. */
export function plain(price: string): string {
  return price.includes('.') ? price.replace(/\.?0+$/, '') : price
}
