import { isWellFormedApiKey } from '@ratchet/contracts/api-key'
import { alphabets } from './alphabets.ts'
import type { TokenRule } from './token-rule.ts'

const { alnum, base64, dashed, dotted, hex, word } = alphabets

/** Keys of model providers and of the tools around them, as their owners document them; and our own. */
export const modelTokens = [
  { kind: 'anthropic_key', prefixes: ['sk-ant-'], body: dashed, min: 20 },
  { kind: 'openrouter_key', prefixes: ['sk-or-v1-', 'sk-or-'], body: alnum, min: 32 },
  { kind: 'openai_key', prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], body: dashed, min: 20 },
  // Many providers with OpenAI's wire also took over its `sk-`.
  { kind: 'openai_key', prefixes: ['sk-'], body: dashed, min: 16, strict: true },
  { kind: 'gateway_key', prefixes: ['sk_svc_', 'ck_live_', 'ck_test_'], body: alnum, min: 16 },
  { kind: 'gateway_key', prefixes: ['sk_', 'ck_'], body: word, min: 40, max: 56, accepts: hasKeyChecksum },
  { kind: 'google_api_key', prefixes: ['AIza'], body: dashed, min: 35, max: 35 },
  { kind: 'google_oauth', prefixes: ['ya29.'], body: dotted, min: 20 },
  { kind: 'google_oauth', prefixes: ['GOCSPX-'], body: dashed, min: 28, max: 28 },
  { kind: 'google_oauth', prefixes: ['1//0'], body: dashed, min: 40 },
  { kind: 'huggingface_token', prefixes: ['hf_', 'api_org_'], body: alnum, min: 30 },
  { kind: 'groq_key', prefixes: ['gsk_'], body: alnum, min: 40 },
  { kind: 'replicate_token', prefixes: ['r8_'], body: alnum, min: 30 },
  { kind: 'xai_key', prefixes: ['xai-'], body: alnum, min: 60 },
  { kind: 'perplexity_key', prefixes: ['pplx-'], body: alnum, min: 40 },
  { kind: 'fireworks_key', prefixes: ['fw_'], body: alnum, min: 22, strict: true },
  { kind: 'cerebras_key', prefixes: ['csk-'], body: alnum, min: 40 },
  { kind: 'together_key', prefixes: ['tgp_v1_'], body: dashed, min: 30 },
  { kind: 'nvidia_key', prefixes: ['nvapi-'], body: dashed, min: 40 },
  { kind: 'langsmith_key', prefixes: ['lsv2_pt_', 'lsv2_sk_'], body: word, min: 32 },
  { kind: 'pinecone_key', prefixes: ['pcsk_'], body: word, min: 40 },
  { kind: 'tavily_key', prefixes: ['tvly-'], body: dashed, min: 24, strict: true },
  { kind: 'elevenlabs_key', prefixes: ['sk_'], body: hex, min: 48, max: 48 },
  { kind: 'aws_bedrock_key', prefixes: ['ABSK', 'bedrock-api-key-'], body: base64, min: 60 },
] as const satisfies readonly TokenRule[]

/** A deployment may name its keys after another brand word; the checksum tells them all the same. */
function hasKeyChecksum(body: string): boolean {
  const brand = body.slice(0, body.lastIndexOf('_') + 1)
  return ['sk_', 'ck_'].some((prefix) => isWellFormedApiKey(prefix + brand, prefix + body))
}
