import type { CatalogModel } from '../catalog/catalog.ts'

/** A vocabulary of OpenAI for counting tokens. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

export interface ModelEncoding {
  readonly encoding: EncodingName
  /** True when this is the model's own vocabulary. */
  readonly exact: boolean
}

/**
 * The vocabulary to count a model's tokens with: its own for the models of OpenAI that are known to have one of the
 * two, o200k_base for all others.
 *
 * How far off that is depends on the text. Vocabularies of a similar size (Gemini, Llama 3 and later, Qwen, DeepSeek,
 * Mistral's Tekken) mostly stay within 15 % for English and code; Claude's makes up to about a third more tokens, and
 * small or English-centred vocabularies up to twice as many for scripts other than Latin.
 */
export function modelEncoding({
  provider,
  upstreamModel,
}: Pick<CatalogModel, 'provider' | 'upstreamModel'>): ModelEncoding {
  const name = nameOf(upstreamModel)
  const isOpenAi = provider === 'openai' || upstreamModel.startsWith('openai/') || name.startsWith('gpt-oss-')
  if (isOpenAi && older.test(name)) return { encoding: 'cl100k_base', exact: true }
  return { encoding: 'o200k_base', exact: isOpenAi && newer.test(name) }
}

const older = /^(?:gpt-4(?:-|$)|gpt-3\.5|text-embedding-)/
const newer = /^(?:gpt-4o|gpt-4\.[15]|gpt-5|gpt-oss-|chatgpt-4o|o[134](?:-|$))/

/** The name without the folders before it; for a fine-tuned model that of its base. */
function nameOf(upstreamModel: string): string {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1)
  return name.startsWith('ft:') ? name.slice('ft:'.length) : name
}
