import { drop, type Leniency } from '../leniency.ts'
import { type Refusal, unsupported } from '../refusal.ts'

/**
 * Features of Anthropic that an `anthropic-beta` header may request: they change neither the price of an answer nor
 * where any of it is stored. Providers that do not know them ignore them.
 */
const allowed: ReadonlySet<string> = new Set([
  'advanced-tool-use-2025-11-20',
  'claude-code-20250219',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'extended-cache-ttl-2025-04-11',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'model-context-window-exceeded-2025-08-26',
  'output-128k-2025-02-19',
  'pdfs-2024-09-25',
  'prompt-caching-2024-07-31',
  'prompt-caching-scope-2026-01-05',
  'redact-thinking-2026-02-12',
  'structured-outputs-2025-09-17',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
  'token-efficient-tools-2025-02-19',
  'token-counting-2024-11-01',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
])

/** Only models that the catalog lists with so many tokens have a price for such prompts. */
const longContext = 'context-1m-2025-08-07'
const longWindow = 1_000_000
/** Only models whose fast tier has a price answer in it. */
export const fastMode = 'fast-mode-2026-02-01'

interface BetaOptions {
  readonly contextWindow: number
  /** True when the model has a fast tier with a price. */
  readonly isFast?: boolean
  readonly leniency?: Leniency | undefined
}

/**
 * The features of a header that can be passed on. Others, such as files that belong to the owner of the provider's key,
 * are left out: a header only allows a feature, and the members of the body that use one are checked themselves.
 *
 * @throws Refusal for a feature that is not allowed, without leniency
 */
export function readBetas(
  header: string | undefined,
  { contextWindow, isFast = false, leniency }: BetaOptions,
): readonly string[] {
  const betas = (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const isAllowed = (name: string) =>
    allowed.has(name) || (name === longContext && contextWindow >= longWindow) || (name === fastMode && isFast)
  const outsiders = betas.filter((name) => !isAllowed(name))
  for (const outsider of outsiders) {
    if (leniency === undefined) throw refusalOf(outsider)
    drop(leniency, `anthropic-beta:${outsider}`)
  }
  return outsiders.length === 0 ? betas : betas.filter(isAllowed)
}

function refusalOf(outsider: string): Refusal {
  return unsupported('anthropic-beta', `${outsider.slice(0, 64)} is not among the features that can be passed on`)
}
