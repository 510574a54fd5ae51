/** One priced model, or one family of models, of the simulated provider. */
export interface SimulatedCatalogEntry {
  /** The model id, or for a family its readable form such as `sim/quality-<q>`. */
  id: string
  /** For a family: an anchored regular expression that its ids match. */
  pattern?: string
  /** The name to send upstream; for a family, the requested id itself. */
  upstream_model: string
  /** Tokens. */
  context_window: number
  max_output_tokens: number
  /** US dollars per million tokens, as decimal strings: money never passes through floating point. */
  input_per_mtok: string
  cached_input_per_mtok: string
  output_per_mtok: string
  /** US dollars per request, where a model is priced so. */
  per_request?: string
  capabilities: readonly string[]
}

interface Row {
  id: string
  pattern?: string
  prices: readonly [input: string, cachedInput: string, output: string]
  capabilities?: readonly string[]
  contextWindow?: number
  maxOutputTokens?: number
  perRequest?: string
}

const chat = ['chat', 'streaming', 'tools', 'json_object', 'json_schema', 'vision', 'logprobs'] as const
const share = '(0(\\.\\d{1,6})?|1(\\.0{1,6})?)'
const amount = '\\d{1,7}'
const modest = ['0.10', '0.05', '0.40'] as const

const rows: readonly Row[] = [
  { id: 'sim/large', prices: ['2.50', '1.25', '10.00'] },
  { id: 'sim/medium', prices: ['0.50', '0.25', '1.50'] },
  { id: 'sim/small', prices: modest },
  { id: 'sim/quality-<q>', pattern: `^sim/quality-${share}$`, prices: ['0.50', '0.25', '1.50'] },
  { id: 'sim/echo', prices: ['1.00', '0.50', '2.00'], contextWindow: 4_000_000, maxOutputTokens: 262_144 },
  { id: 'sim/tools', prices: ['0.50', '0.25', '1.50'] },
  { id: 'sim/judge', prices: ['0.15', '0.075', '0.60'] },
  { id: 'sim/judge-<tpr>-<tnr>', pattern: `^sim/judge-${share}-${share}$`, prices: ['0.15', '0.075', '0.60'] },
  { id: 'sim/judge-first', prices: ['0.15', '0.075', '0.60'] },
  { id: 'sim/judge-broken', prices: ['0.15', '0.075', '0.60'] },
  { id: 'sim/embed', prices: ['0.02', '0.02', '0'], capabilities: ['embeddings'], contextWindow: 8_192 },
  { id: 'sim/rerank', prices: ['0', '0', '0'], capabilities: ['rerank'], contextWindow: 32_768, perRequest: '0.001' },
  { id: 'sim/fail-<status>', pattern: '^sim/fail-[45]\\d\\d$', prices: modest },
  { id: 'sim/fail-<status>-<k>', pattern: '^sim/fail-[45]\\d\\d-[1-9]\\d{0,3}$', prices: modest },
  { id: 'sim/slow-<ms>', pattern: `^sim/slow-${amount}$`, prices: modest },
  { id: 'sim/pace-<ms>', pattern: `^sim/pace-${amount}$`, prices: modest },
  { id: 'sim/cut-<bytes>', pattern: `^sim/cut-${amount}$`, prices: modest },
  { id: 'sim/stall-<bytes>', pattern: `^sim/stall-${amount}$`, prices: modest },
  { id: 'sim/cached-<tokens>', pattern: `^sim/cached-${amount}$`, prices: modest },
  { id: 'sim/reasoning-<tokens>', pattern: `^sim/reasoning-${amount}$`, prices: modest },
  { id: 'sim/hangup', prices: modest },
  { id: 'sim/malformed', prices: modest },
  { id: 'sim/errorframe', prices: modest },
  { id: 'sim/no-usage', prices: modest },
  { id: 'sim/zero-usage', prices: modest },
]

/** Every model the simulated provider serves, priced, in the shape of a model catalog. */
export const simulatedCatalog: readonly SimulatedCatalogEntry[] = rows.map((row) => ({
  id: row.id,
  ...(row.pattern === undefined ? {} : { pattern: row.pattern }),
  upstream_model: row.id,
  context_window: row.contextWindow ?? 128_000,
  max_output_tokens: row.maxOutputTokens ?? (row.capabilities === undefined ? 16_384 : 0),
  input_per_mtok: row.prices[0],
  cached_input_per_mtok: row.prices[1],
  output_per_mtok: row.prices[2],
  ...(row.perRequest === undefined ? {} : { per_request: row.perRequest }),
  capabilities: row.capabilities ?? chat,
}))
