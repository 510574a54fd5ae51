import type { FamilyFinder } from '../routing/family-finder.ts'
import { instructionsOf } from '../routing/instructions-of.ts'
import type { ParsedRequest } from './request-records.ts'

export interface FindFamilyDeps {
  readonly families: FamilyFinder
}

/** Whether an alias that may route the request has rules for prompt families. Others do not wait for the log. */
export function needsFamily({ settings, facts }: Pick<ParsedRequest, 'settings' | 'facts'>): boolean {
  const { aliases } = settings
  if (aliases.size === 0) return false
  const fallbacks = facts.fallbackModels.length === 0 ? settings.fallbackModels : facts.fallbackModels
  return [facts.requestedModel, ...fallbacks].some((name) => (aliases.get(name)?.familyRules.length ?? 0) > 0)
}

/** The request with its prompt family. */
export async function withFamily({ families }: FindFamilyDeps, parsed: ParsedRequest): Promise<ParsedRequest> {
  const { surface, body, identity } = parsed
  // The log has chat completions only, so requests without messages have no segment.
  if (surface.serves !== 'chat') return parsed
  return { ...parsed, segment: await families.find(identity, instructionsOf(surface.dialect, body)) }
}
