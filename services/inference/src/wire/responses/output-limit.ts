import type { CatalogModel } from '../../catalog/catalog.ts'

/**
 * The name of the token limit in a chat completion. OpenAI's reasoning models accept only `max_completion_tokens`, most
 * other models only the older `max_tokens`.
 */
export function outputLimitName({
  provider,
  unsupportedParameters,
}: Pick<CatalogModel, 'provider' | 'unsupportedParameters'>): 'max_tokens' | 'max_completion_tokens' {
  if (unsupportedParameters.includes('max_tokens')) return 'max_completion_tokens'
  if (unsupportedParameters.includes('max_completion_tokens')) return 'max_tokens'
  return provider === 'openai' ? 'max_completion_tokens' : 'max_tokens'
}
