import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { CatalogModel } from '../catalog/catalog.ts'
import type { Warning, WarningDeps } from './warning.ts'

/** A model that a workspace paid for. */
export interface UsedModel {
  readonly workspaceId: string
  readonly model: string
}

export interface StaleCatalogDeps {
  readonly models: readonly Pick<CatalogModel, 'id' | 'provider' | 'asOf'>[]
  /** Which of these models workspaces have paid for since a time. */
  readonly usedSince: (models: readonly string[], since: Date) => Promise<readonly UsedModel[]>
  readonly store: Pick<WarningDeps['store'], 'warn'>
  /** Days after which a price is old. */
  readonly staleAfterDays: number
  readonly now: () => Date
}

/** A workspace is warned of models that it used in the last days. */
const usedDays = 30
/** Models that a warning names. */
const maxNamed = 5

/** Warns workspaces whose models have old prices, once until the prices are read again. The simulated provider has none to read. */
export async function findStaleCatalog(deps: StaleCatalogDeps): Promise<void> {
  const { models, usedSince, store, staleAfterDays, now } = deps
  const at = now()
  const oldest = new Date(at.getTime() - staleAfterDays * dayMs).toISOString().slice(0, 10)
  const stale = models.filter(({ asOf, provider }) => provider !== 'sim' && asOf < oldest)
  if (stale.length === 0) return
  const asOfById = new Map(stale.map(({ id, asOf }) => [id, asOf]))
  const used = await usedSince([...asOfById.keys()], new Date(at.getTime() - usedDays * dayMs))
  const warnings = [...Map.groupBy(used, ({ workspaceId }) => workspaceId)].map(([workspaceId, ofOne]) => {
    const named = ofOne.map(({ model }) => ({ model, asOf: asOfById.get(model) ?? '' }))
    return staleWarning(workspaceId, named, staleAfterDays)
  })
  if (warnings.length > 0) await store.warn(warnings, at)
}

function staleWarning(
  workspaceId: string,
  used: readonly { readonly model: string; readonly asOf: string }[],
  staleAfterDays: number,
): Warning {
  const sorted = used.toSorted((a, b) => a.asOf.localeCompare(b.asOf) || a.model.localeCompare(b.model))
  const asOf = sorted[0]?.asOf ?? ''
  const names = sorted.slice(0, maxNamed).map(({ model }) => model)
  const data = {
    object: 'catalog',
    as_of: asOf,
    stale_after_days: String(staleAfterDays),
    models: String(used.length),
    oldest_models: names.join(', '),
  }
  return { workspaceId, type: 'catalog.stale', about: asOf, data }
}
