import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CatalogModel } from '../catalog/catalog.ts'
import type { PromptShape } from '../pricing/prompt-shape.ts'
import type { RateLimiter } from '../rate-limits/rate-limit.ts'
import type { CountTokensOf } from '../request/price-answer.ts'
import { type ModelDirectory, requireModel } from '../routing/require-model.ts'
import type { Body } from '../wire/dialect.ts'
import type { SettingsSource } from '../workspace-settings/workspace-settings.ts'
import { createFreeCounts } from './free-counts.ts'
import { promptTokens } from './prompt-tokens.ts'

export interface PromptCounterDeps extends ModelDirectory {
  readonly settings: SettingsSource
  readonly countTokensOf: CountTokensOf
  readonly limiter: Pick<RateLimiter, 'admit'>
}

export interface AskedPrompt {
  /** The model, or an alias. */
  readonly name: string
  readonly body: Body
  /** Bytes of the body. */
  readonly bytes: number
  readonly shape: PromptShape
}

/**
 * The tokens of a prompt, free of charge.
 *
 * @throws ServiceError `rate_limit_exceeded`, or when there is no such model
 */
export type PromptCounter = (identity: Identity, asked: AskedPrompt) => Promise<number>

/** Counts here, without a provider; more than a few counts of a workspace at a time are estimates. */
export function createPromptCounter(deps: PromptCounterDeps): PromptCounter {
  const freeCounts = createFreeCounts()
  return async (identity, { name, body, bytes, shape }) => {
    const { workspaceId } = identity
    const model = await admittedModel(deps, identity, name)
    const count = (of: CatalogModel, texts: readonly string[]) =>
      freeCounts.run(workspaceId, () => deps.countTokensOf(workspaceId)(of, texts))
    return promptTokens(count, { model, body, bytes, shape })
  }
}

/**
 * The model that a name means; an alias counts for the model that it routes to first. A count is a request of the
 * workspace, but uses none of its tokens.
 *
 * @throws ServiceError `rate_limit_exceeded`, or when there is no such model
 */
async function admittedModel(
  deps: PromptCounterDeps,
  { workspaceId, keyId }: Identity,
  name: string,
): Promise<CatalogModel> {
  const settings = await deps.settings.of(workspaceId, [name])
  const { limits, keyLimits } = settings
  const keys = keyId === null ? undefined : keyLimits.get(keyId)
  const admission = await deps.limiter.admit({ workspaceId, keyId, limits, keyLimits: keys, tokens: 0 })
  if (admission !== null && !admission.ok) {
    throw new ServiceError('rate_limit_exceeded', 'Too many requests per minute for this key or workspace.', {
      retryAfterSeconds: Math.ceil(admission.retryAfterMs / 1_000),
    })
  }
  return requireModel(deps, settings, settings.aliases.get(name)?.targetModel ?? name)
}
