import type { Brand } from '@ratchet/contracts/brand'
import { withEdits } from '../request/fit-to-model.ts'
import type { ParsedRequest } from '../request/request-records.ts'
import { BudgetExceeded } from './budget-exceeded.ts'

/**
 * The request that is made in place of one that a budget does not cover: for the model or alias that the budget names, without
 * other models.
 *
 * @returns null when the budget demands a refusal, or the request asked for that model
 */
export function cheaperRequest(
  { headers }: Pick<Brand, 'headers'>,
  parsed: ParsedRequest,
  error: unknown,
): ParsedRequest | null {
  const name = error instanceof BudgetExceeded ? error.fallbackModel : null
  // An internal call measures the model that it names.
  if (name === null || name === parsed.facts.requestedModel || parsed.internalCall !== null) return null
  const named = withEdits(parsed, { model: JSON.stringify(name), models: undefined })
  const alias = parsed.settings.aliases.get(name) ?? null
  parsed.httpResponse.setHeader(headers.fallbackFrom, parsed.facts.requestedModel)
  if (alias !== null) parsed.httpResponse.setHeader(headers.alias, alias.name)
  parsed.notes.alias = alias?.name ?? null
  return { ...parsed, ...named, facts: parsed.surface.readFacts(named.body), alias }
}
