import { unsupported } from '../refusal.ts'

/**
 * Features of Anthropic that an `anthropic-beta` header may request: they change neither the price of an answer nor
 * where any of it is stored. Providers that do not know them ignore them.
 */
const allowed: ReadonlySet<string> = new Set([
  'claude-code-20250219',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'model-context-window-exceeded-2025-08-26',
  'output-128k-2025-02-19',
  'pdfs-2024-09-25',
  'prompt-caching-2024-07-31',
  'structured-outputs-2025-09-17',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
])

/**
 * The features that a header requests.
 *
 * @throws Refusal for one that is not allowed
 */
export function readBetas(header: string | undefined): readonly string[] {
  const betas = (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const outsider = betas.find((name) => !allowed.has(name))
  if (outsider === undefined) return betas
  throw unsupported('anthropic-beta', `${outsider.slice(0, 64)} is not among the features that can be passed on`)
}
