import type { Dialect } from '../../wire/dialect.ts'

/** Providers whose name in OpenTelemetry's conventions for generative AI differs from that in the catalog. */
const conventionalNames: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
}

/** `gen_ai.provider.name` of a provider of the catalog. */
export function genAiProvider(provider: string): string {
  return conventionalNames[provider] ?? provider
}

/** `gen_ai.operation.name` of a request: the three dialects of conversations are one operation. */
export function genAiOperation(dialect: Dialect): Exclude<Dialect, 'responses' | 'messages'> {
  return dialect === 'responses' || dialect === 'messages' ? 'chat' : dialect
}
