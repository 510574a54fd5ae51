import { modelsNamed, trainableModels } from '@ratchet/contracts/internal-catalog'
import { getModel, listModels } from '@ratchet/contracts/models'
import { nanoToUsd } from '@ratchet/contracts/money'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import { globsOf, isAllowed } from '../budgets/allowed-models.ts'
import type { DedicatedRoute } from '../dedicated/dedicated-route.ts'
import { isCallable, type ModelDirectory, requireModel } from '../routing/require-model.ts'
import type { SettingsSource, WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { CatalogModel } from './catalog.ts'

export interface ModelRouteDeps extends ModelDirectory {
  readonly settings: SettingsSource
}

export function modelRoutes(router: Router, deps: ModelRouteDeps): void {
  const { catalog, directory, settings: source } = deps

  mount(router, listModels, async ({ identity }) => {
    const settings = await source.of(identity.workspaceId)
    const configured = directory.configured(settings)
    const shared = catalog.models.filter(({ provider }) => configured.has(provider))
    const own = [...settings.versions.keys()].filter((name) => isCallable(deps, settings, name))
    const endpoints = [...settings.dedicated.keys()].filter((name) => isCallable(deps, settings, name))
    const data = [...shared, ...[...own, ...endpoints].map((name) => requireModel(deps, settings, name))]
    const globs = globsOf({ identity, settings })
    const allowed = globs === undefined ? data : data.filter(({ id }) => isAllowed(globs, id))
    return { object: 'list' as const, data: allowed.map((model) => toWire(model, settings)) }
  })

  mount(router, modelsNamed, ({ params: { name } }) => {
    const ids = [catalog.find(name), ...catalog.named(name)].flatMap((model) => model?.id ?? [])
    return { models: [...new Set(ids)] }
  })

  mount(router, trainableModels, () => ({
    models: catalog.models.flatMap(({ id, upstreamModel, contextWindow, training }) =>
      training === null ? [] : [{ id, upstream_model: upstreamModel, context_window: contextWindow, training }],
    ),
  }))

  mount(router, getModel, async ({ params, identity }) => {
    const settings = await source.of(identity.workspaceId, [params.id])
    return toWire(requireModel(deps, settings, params.id), settings)
  })
}

function toWire(model: CatalogModel, { versions, dedicated }: Pick<WorkspaceSettings, 'versions' | 'dedicated'>) {
  const { id, provider, asOf, listPrices, contextWindow, maxOutputTokens, capabilities, unsupportedParameters } = model
  const endpoint = dedicated.get(id)
  return {
    id,
    object: 'model' as const,
    created: Date.parse(asOf) / 1_000,
    owned_by: versions.has(id) || endpoint !== undefined ? 'workspace' : provider,
    pricing: {
      input_per_mtok: Number(listPrices.input_per_mtok),
      output_per_mtok: Number(listPrices.output_per_mtok),
      cached_input_per_mtok:
        listPrices.cached_input_per_mtok === null ? null : Number(listPrices.cached_input_per_mtok),
    },
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    outputs_trainable: model.outputsTrainable,
    capabilities: [...capabilities],
    unsupported_parameters: [...unsupportedParameters],
    ...(endpoint === undefined ? {} : { dedicated: dedicatedFacts(endpoint) }),
  }
}

function dedicatedFacts({ priceNanoPerHour, state }: DedicatedRoute) {
  return { price_usd_per_hour: nanoToUsd(priceNanoPerHour), state }
}
